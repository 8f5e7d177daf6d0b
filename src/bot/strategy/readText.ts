import { CronExpressionParser } from 'cron-parser'
import { tokenOf } from '../../core/amount.ts'
import { parseBps } from '../../core/bps.ts'
import { parseDecimal } from '../../core/decimal.ts'
import { asWritten } from '../../core/display.ts'
import { parseDuration } from '../../core/duration.ts'
import { type BallastError, ballastError } from '../../core/errors.ts'
import { isDay } from '../../core/isDay.ts'
import { didYouMean } from '../../core/nearest.ts'
import { sameToken, type Token } from '../../core/token.ts'
import type { Votes } from './fields.ts'

/** Each is kept with every decision; longer memories are for averages, not for confirming. */
const votesMax = 32

export function parsePair(
  text: string,
  bySymbol: ReadonlyMap<string, Token>,
): readonly [Token, Token] {
  const [one, other, ...more] = text.split('/')
  if (one === undefined || other === undefined || more.length > 0)
    throw refusal(`${asWritten(text)} is not a pair: write two tokens, such as WETH/WBTC.`)
  const pair = [tokenOf(one, bySymbol), tokenOf(other, bySymbol)] as const
  if (sameToken(...pair)) throw refusal(`${asWritten(text)} is one token twice.`)
  return pair
}

export function readSeconds(text: string): number {
  const milliseconds = parseDuration(text)
  if (milliseconds === 0 || milliseconds % 1_000 !== 0)
    throw refusal(`'${text}' is not a whole number of seconds of at least one.`)
  return milliseconds / 1_000
}

export function readCron(text: string): string {
  const parts = text.trim().split(/\s+/)
  // `H` is a minute cron-parser picks at random: a slot that moves with every start is no slot.
  const random = parts.some((part) => part.split(/[,/-]/).some((word) => /^H(?:\(|$)/i.test(word)))
  if (parts.length !== 5 || random)
    throw refusal(
      `${asWritten(text)} is not a schedule: write minute, hour, day of month, month and day of week, such as '0 9 * * *'.`,
    )
  if (!hasSlot(parts)) {
    // One field of `*` is always right, so the wrong one shows beside four of them.
    const wrong = cronFields.findIndex(
      (_, place) => !hasSlot(cronFields.map((__, at) => (at === place ? (parts[at] ?? '') : '*'))),
    )
    throw refusal(
      `${asWritten(text)} is not a schedule: ${cronReason(parts[wrong], cronFields[wrong])}; write it as in '0 9 * * 1'.`,
    )
  }
  return parts.join(' ')
}

const cronFields = [
  { name: 'minute', values: '0 to 59' },
  { name: 'hour', values: '0 to 23' },
  { name: 'day of month', values: '1 to 31' },
  { name: 'month', values: '1 to 12, or JAN to DEC' },
  { name: 'day of week', values: '0 to 7, or SUN to SAT' },
] as const

function hasSlot(parts: readonly string[]): boolean {
  try {
    // The date is any fixed one: whether a slot exists at all does not depend on today.
    CronExpressionParser.parse(parts.join(' '), { tz: 'UTC', currentDate: 0 }).next()
    return true
  } catch {
    // The words of the library name no field; ours follow from the parts.
    return false
  }
}

function cronReason(part = '', field: (typeof cronFields)[number] | undefined): string {
  if (field === undefined) return 'no such day exists in that month'
  const { name, values } = field
  const shown = `${asWritten(part)}`
  if (/\/0*(?:,|$)/.test(part)) return `the step of its ${name} ${shown} is not 1 or more`
  return /[-,]/.test(part)
    ? `its ${name} ${shown} takes values of ${values}, each once, and ranges from the lower to the higher`
    : `its ${name} ${shown} is not of ${values}`
}

export function readTimeZone(text: string): string {
  // Intl also takes offsets such as +02:00, which know no summer time.
  const zone = /^[A-Za-z]/.test(text) ? canonicalZone(text) : undefined
  if (zone !== undefined) return text
  throw refusal(
    `${asWritten(text)} is not a time zone: write its IANA name, such as 'Europe/Berlin' or 'UTC'.`,
  )
}

function canonicalZone(name: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}

/** Percents are what weights are written in; bps are taken as well. */
export function parseShare(text: string): number {
  const match = /^(\d{1,3})(?:\.(\d{1,2}))? ?%$/.exec(text)
  // Either is a hundred times the other, and only the writer knows which was meant.
  if (/^\d{1,9}(?:\.\d+)?$/.test(text))
    throw refusal(`'${text}' has no unit: write '${text} %', or bps (1 bps is 0.01 %).`)
  if (match === null) return parseBps(text)
  const bps = Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0'))
  if (bps > 10_000) throw refusal(`'${text}' is more than everything.`)
  return bps
}

export function readCount(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw refusal(`${asWritten(text)} is not a whole number of at least one: write for example '3'.`)
}

export function readFactor(text: string): number {
  if (!/^\d{1,12}(?:\.\d{1,4})?$/.test(text))
    throw refusal(
      `${asWritten(text)} is not a plain number of at most four decimals: write for example '1.5'.`,
    )
  const units = Number(parseDecimal(text, 4))
  if (units <= 1_000_000_000) return units
  throw refusal(`${asWritten(text)} is more than a hundred thousand.`)
}

export function readChoice(text: string, words: readonly string[]): string {
  if (words.includes(text)) return text
  throw refusal(`${asWritten(text)} is not one of ${words.join(', ')}.${didYouMean(text, words)}`)
}

export function parseInstant(text: string): number {
  const form = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/
  const at = form.test(text) ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(at) && isDay(text.slice(0, 10))) return at
  throw refusal(
    `${asWritten(text)} is not an instant: write '2026-12-31' for midnight UTC, or '2026-12-31T09:00:00+01:00'.`,
  )
}

export function readMissed(text: string): number {
  if (text === 'skip') return 0
  if (text === 'once') return 1
  const some = /^up to ([1-9]\d?)$/.exec(text)?.[1]
  if (some !== undefined) return Number(some)
  throw refusal(`${asWritten(text)} is not one of skip, once, or 'up to 3'.`)
}

export function readVotes(text: string): Votes {
  const [, need = 0, of = 0] = (/^(\d{1,2}) of (\d{1,2})$/.exec(text) ?? []).map(Number)
  if (need >= 1 && need <= of && of <= votesMax) return { need, of }
  throw refusal(
    `${asWritten(text)} is not so many of the last so many: write '2 of 3', of at most ${votesMax}.`,
  )
}

function refusal(summary: string): BallastError {
  return ballastError('CONFIG_INVALID', summary)
}
