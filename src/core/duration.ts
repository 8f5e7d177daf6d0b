import { asWritten } from './display.ts'
import { type BallastError, ballastError } from './errors.ts'
import { dayMs, hourMs, minuteMs, secondMs } from './spans.ts'

const millisecondsPer = { ms: 1, s: secondMs, m: minuteMs, h: hourMs, d: dayMs } as const

/** A year and a day: whatever is longer was meant in another unit. */
const longestMs = 366 * millisecondsPer.d

/** Reads `30s`, `5m`, `1h`, `2d` or `500ms` as milliseconds. A bare number is refused: it lacks its unit. */
export function parseDuration(text: string): number {
  const milliseconds = parseLong(text)
  if (milliseconds > longestMs)
    throw refusal(`'${text}' is longer than a year: write a duration such as 30s, 5m, 1h or 2d.`)
  return milliseconds
}

/** {@link parseDuration} of whatever length: for a key that has a bound of its own. */
export function parseLong(text: string): number {
  const match = /^(\d{1,12}) ?(ms|s|m|h|d)$/.exec(text)
  if (match === null)
    throw refusal(
      /^\d+$/.test(text)
        ? `${asWritten(text)} has no unit: write ${asWritten(`${text}s`)} for seconds.`
        : `${asWritten(text)} is not a duration: write a whole number and its unit, such as 30s, 5m, 1h or 2d.`,
    )
  return Number(match[1]) * millisecondsPer[match[2] as keyof typeof millisecondsPer]
}

/** The shortest exact text of a duration; the inverse of {@link parseDuration}. */
export function showDuration(milliseconds: number): string {
  for (const unit of ['d', 'h', 'm', 's'] as const)
    if (milliseconds >= millisecondsPer[unit] && milliseconds % millisecondsPer[unit] === 0)
      return `${milliseconds / millisecondsPer[unit]}${unit}`
  return `${milliseconds}ms`
}

function refusal(summary: string): BallastError {
  return ballastError('NOT_A_DURATION', summary)
}
