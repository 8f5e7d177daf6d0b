import type { TapeHeader } from '../tapeLine.ts'

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
