import type { Config } from '../../config/config.ts'
import { minuteMs } from '../../core/spans.ts'
import { createZone } from '../../forecast/createZone.ts'

export type AlertHours = Config['alerts']

const minutesOfDay = 24 * 60

/** The date and the minute of the day on the clocks of a zone. */
function wallTime(at: number, timeZone: string) {
  const wall = at + createZone(timeZone).offsetAt(at)
  return {
    date: new Date(wall).toISOString().slice(0, 10),
    minute: Math.floor(wall / minuteMs) % minutesOfDay,
  }
}

/** Whether only what is critical may be sent now. */
export function isQuiet(at: number, { quiet, timeZone }: AlertHours): boolean {
  if (quiet === undefined) return false
  const { minute } = wallTime(at, timeZone)
  const { from, to } = quiet
  return from < to ? minute >= from && minute < to : minute >= from || minute < to
}

/** The date whose digest is due by now; undefined before its time of day, or where there is none. */
export function digestDate(at: number, { digest, timeZone }: AlertHours): string | undefined {
  if (digest === undefined) return undefined
  const { date, minute } = wallTime(at, timeZone)
  return minute < digest ? undefined : date
}
