import { zoneOffsets } from '../../bot/schedule/zoneOffsets.ts'
import { asWritten } from '../../core/display.ts'
import { usageError } from '../../core/errors.ts'
import { isTimeZone } from '../../core/isTimeZone.ts'

/** A calendar month on the clocks of one time zone. Instants in milliseconds since the epoch; `until` is not in it. */
export type MonthSpan = {
  readonly month: string
  readonly zone: string
  readonly from: number
  readonly until: number
}

/** The first and last instant of `2026-10` in an IANA zone. Refuses what is no month or no zone. */
export function monthSpan(month: string, zone: string): MonthSpan {
  const [, year, nth] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(month) ?? []
  if (year === undefined || nth === undefined)
    throw usageError(`--month takes a month such as 2026-10, not ${asWritten(month)}.`)
  if (!isTimeZone(zone))
    throw usageError(
      `--zone takes the IANA name of a time zone, such as Europe/Berlin or UTC, not ${asWritten(zone)}.`,
    )
  const beginOf = (index: number) => midnightIn(Date.UTC(Number(year), index, 1), zone)
  return { month, zone, from: beginOf(Number(nth) - 1), until: beginOf(Number(nth)) }
}

/** The first instant at which the clocks of a zone show this wall time, or that of the change that leaves it out. */
export function midnightIn(wall: number, zone: string): number {
  const { offsetAt, around } = zoneOffsets(zone)
  const instants = around(wall).map((offset) => wall - offset)
  const shown = instants.filter((at) => at + offsetAt(at) === wall)
  return shown.length > 0 ? Math.min(...shown) : Math.max(...instants)
}
