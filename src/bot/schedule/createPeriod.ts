import { assert } from '../../core/assert.ts'
import type { Every } from '../strategy/index.ts'
import { dueAt } from './slots.ts'
import { pauseMs, type Timetable } from './timetable.ts'

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
  /** Turns in a row that something outside hindered, and the end of the wait for it. */
  let hindered = 0
  let notBefore = Number.NEGATIVE_INFINITY

  return {
    at: () => Math.max(due(slot), notBefore),
    missed: () => undefined,
    markRecorded: () => {},
    retryLater: () => {},
    claim(now) {
      if (due(slot) > now) return undefined
      const last = latest(now)
      slot = Math.max(slot, due(last) <= now ? last : last - period)
      return slot
    },
    ended(outcome, now) {
      hindered = outcome === 'hindered' ? hindered + 1 : 0
      notBefore = hindered === 0 ? Number.NEGATIVE_INFINITY : now + pauseMs(hindered)
      slot = Math.max(slot + period, dueFrom(now))
    },
    // A clock that was set back must not silence a period until it has caught up. By less than a period it may wait.
    setBack(now) {
      notBefore = Math.min(notBefore, now + pauseMs(hindered))
      if (slot > now + 2 * period) slot = dueFrom(now + 1)
    },
    retire: (_successor, now) => ({ after: now, unrecorded: [] }),
  }
}
