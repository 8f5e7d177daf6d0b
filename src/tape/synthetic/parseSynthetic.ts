import { asWritten } from '../../core/display.ts'
import { parseDuration } from '../../core/duration.ts'
import { usageError } from '../../core/errors.ts'
import { hourMs } from '../../core/spans.ts'
import type { TapeHeader } from '../tapeLine.ts'

/** The settings of the tape that ships with the project. */
export const shippedSettings: Synthetic = {
  seed: 7,
  days: 30,
  everyMs: hourMs,
  startedAt: Date.UTC(2026, 0, 1),
}

const daysMax = 3_660

/** Reads `seed=7,days=30,every=60s`; what is left out is as in the tape that ships, but for a look every minute. */
export function parseSynthetic(text: string): Synthetic {
  const given = new Map<string, string>()
  for (const part of text.split(',').filter((one) => one.trim() !== '')) {
    const [key = '', value] = part.trim().split('=')
    if (!['seed', 'days', 'every'].includes(key) || value === undefined || given.has(key))
      throw usageError(
        `${asWritten(part.trim())} is no setting of a synthetic tape: write 'seed=7,days=30,every=60s'.`,
      )
    given.set(key, value)
  }
  const everyMs = parseDuration(given.get('every') ?? '60s')
  if (everyMs < 1_000) throw usageError('A synthetic tape has at most one look a second.')
  return {
    ...shippedSettings,
    seed: whole('seed', given.get('seed'), { otherwise: shippedSettings.seed, max: 2 ** 32 - 1 }),
    days: whole('days', given.get('days'), { otherwise: shippedSettings.days, max: daysMax }),
    everyMs,
  }
}

function whole(
  name: string,
  text: string | undefined,
  { otherwise, max }: { readonly otherwise: number; readonly max: number },
): number {
  if (text === undefined) return otherwise
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  if (value >= 1 && value <= max) return value
  throw usageError(`${name} takes a whole number from 1 to ${max}, not ${asWritten(text)}.`)
}

/** How a tape is made. The same settings make the same tape, byte for byte. */
export type Synthetic = {
  readonly seed: number
  readonly days: number
  /** From one look to the next. */
  readonly everyMs: number
  /** Milliseconds since the epoch. */
  readonly startedAt: number
}

/** The generator's name and settings stand where a recorded tape names its service. */
export const syntheticHeader = ({ seed, days, everyMs, startedAt }: Synthetic): TapeHeader => ({
  format: 1,
  source: 'synthetic',
  chain: 'synthetic',
  chainId: 0,
  service: `generator seed=${seed},days=${days},every=${everyMs}ms`,
  startedAt,
})
