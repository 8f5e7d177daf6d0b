import { CronExpressionParser } from 'cron-parser'
import type { Schedule } from '../strategy/index.ts'
import { slots } from './slots.ts'

/** Further back than any change of summer time, and few enough slots of the busiest calendar to walk over. */
const walkMs = 3 * 3_600_000

/** The last slot after `after` and not after `now`; undefined when none is due. However many were missed. */
export function latestSlot(
  schedule: Schedule,
  { after, now }: { readonly after: number; readonly now: number },
): number | undefined {
  let latest: number | undefined
  for (const slot of slots(schedule, Math.max(after, shortlyBefore(schedule, now)))) {
    if (slot > now) break
    latest = slot
  }
  return latest
}

/** A start from which few slots are left until `now`, at least one of them unless there is none. */
function shortlyBefore(schedule: Schedule, now: number): number {
  if (schedule.kind === 'every') return now - schedule.seconds * 1_000
  // Only a hint: backwards, cron-parser sees other instants around a change of summer time than forwards.
  const calendar = CronExpressionParser.parse(schedule.expression, {
    tz: schedule.timeZone,
    currentDate: now + 1,
  })
  return calendar.prev().getTime() - walkMs
}
