import { assert } from '../../core/assert.ts'
import { hourMs } from '../../core/spans.ts'
import type { Every } from '../strategy/index.ts'
import { dueAt } from './slots.ts'
import { pauseMs, retryMs, type Timetable } from './timetable.ts'

/** A slot is tried again for so long. The next one of a period that is no longer comes soon enough. */
const retriesMsMax = hourMs

/**
 * The timetable of a period: what went by is left out, and nothing is unrecorded. A slot that stays open is tried again
 * where the period is longer than an hour: trouble of seconds must not cost the look of a day.
 */
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
  /** The number of turns at the slot, and the end of its tries. */
  let asked = 0
  let until = Number.NEGATIVE_INFINITY
  /** Turns in a row that something outside hindered. */
  let hindered = 0
  let notBefore = Number.NEGATIVE_INFINITY

  const goTo = (next: number) => {
    if (next !== slot) asked = 0
    slot = next
  }

  return {
    at: () => Math.max(due(slot), notBefore),
    missed: () => undefined,
    markRecorded: () => {},
    retryLater: () => {},
    claim(now) {
      if (due(slot) > now) return undefined
      const last = latest(now)
      goTo(Math.max(slot, due(last) <= now ? last : last - period))
      if (asked === 0) until = now + retriesMsMax
      asked += 1
      return slot
    },
    ended(outcome, now) {
      hindered = outcome === 'hindered' ? hindered + 1 : 0
      if (outcome !== 'closed' && period > retriesMsMax && now < until) {
        // Tried once more right at the end.
        notBefore = Math.min(now + retryMs(asked), until, due(slot + period))
        return
      }
      notBefore = hindered === 0 ? Number.NEGATIVE_INFINITY : now + pauseMs(hindered)
      goTo(Math.max(slot + period, dueFrom(now)))
    },
    // A clock that was set back must not silence a period until it has caught up. By less than a period it may wait.
    setBack(now) {
      notBefore = Math.min(notBefore, now + (asked === 0 ? pauseMs(hindered) : retryMs(asked)))
      if (slot > now + 2 * period) goTo(dueFrom(now + 1))
    },
    retire: (_successor, now) => ({ after: now, unrecorded: [] }),
  }
}
