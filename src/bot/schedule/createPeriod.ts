import { assert } from '../../core/assert.ts'
import type { Every } from '../strategy/index.ts'
import { dueAt } from './slots.ts'
import type { Timetable } from './timetable.ts'

/** The timetable of a period: what went by is left out, and nothing is unrecorded. */
export function createPeriod(
  entry: { readonly name: string; readonly schedule: Every },
  { now: begin }: { readonly now: number },
): Timetable {
  const period = entry.schedule.seconds * 1_000
  assert(Number.isInteger(period) && period > 0, 'a period is a whole number of milliseconds')
  const latest = (instant: number) => Math.floor(instant / period) * period
  const due = (slot: number) => dueAt(entry, { slot, following: slot + period })

  /** The first slot that is due at an instant or later. */
  const dueFrom = (instant: number) => {
    const slot = latest(instant)
    return due(slot) >= instant ? slot : slot + period
  }
  let slot = dueFrom(begin + 1)

  return {
    at: () => due(slot),
    missed: () => undefined,
    markRecorded: () => {},
    retryLater: () => {},
    claim(now) {
      if (due(slot) > now) return undefined
      const last = latest(now)
      slot = Math.max(slot, due(last) <= now ? last : last - period)
      return slot
    },
    ended(_outcome, now) {
      slot = Math.max(slot + period, dueFrom(now))
    },
    // A clock that was set back must not silence a period until it has caught up. By less than a period it may wait.
    setBack(now) {
      if (slot > now + 2 * period) slot = dueFrom(now + 1)
    },
    retire: (_successor, now) => ({ after: now, unrecorded: [] }),
  }
}
