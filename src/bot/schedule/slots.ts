import { CronExpressionParser } from 'cron-parser'
import { assert } from '../../core/assert.ts'
import type { Schedule } from '../strategy/index.ts'

/**
 * cron-parser moves a slot of the hour that summer time skips to the hour after, but only when it comes from before
 * that hour; asked from within, it leaves the slot out. Starting this much earlier, the same instants come out
 * wherever one starts, so a restart neither loses nor repeats a slot.
 */
const leadMs = 3 * 3_600_000

/** The slots strictly after an instant, in order. All instants are milliseconds since the epoch. */
export function* slots(schedule: Schedule, after: number): Generator<number, never> {
  if (schedule.kind === 'every') {
    // Aligned to the epoch, so that a restart does not shift them.
    const period = schedule.seconds * 1_000
    assert(Number.isInteger(period) && period > 0, 'a period is a whole number of milliseconds')
    for (let slot = (Math.floor(after / period) + 1) * period; ; slot += period) yield slot
  }
  const calendar = CronExpressionParser.parse(schedule.expression, {
    tz: schedule.timeZone,
    currentDate: after - leadMs,
  })
  for (;;) {
    const slot = calendar.next().getTime()
    if (slot > after) yield slot
  }
}
