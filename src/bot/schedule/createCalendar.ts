import { assert } from '../../core/assert.ts'
import type { Cron } from '../strategy/index.ts'
import { dueAt, latestSlot, latestSlots, nextSlot, slots } from './slots.ts'
import { missedRun, retryMs, type Timetable, type Unrecorded } from './timetable.ts'

/** A market that is away for half an hour costs a day's swap an hour's delay, and never the swap. */
const lateSecondsDefault = 3_600

/** A made-up slot has no end of its own: it is given up after this number of tries, about four minutes. */
const lateAsksMax = 5

/**
 * The timetable of a calendar: every slot is closed once and in order, by a tick or as missed, and the next one waits
 * for that. A slot may be called from its due time until it is late; later it is missed, and of those only the latest
 * `makeUp` are still called. Missed slots are found from `after` and the time alone, so a restart finds the same.
 */
export function createCalendar(
  entry: { readonly name: string; readonly schedule: Cron; readonly isNew?: boolean | undefined },
  { after: closed, now: begin }: { readonly after: number | undefined; readonly now: number },
): Timetable {
  const { schedule } = entry
  const { makeUp = 0 } = schedule
  const lateMs = (schedule.late ?? lateSecondsDefault) * 1_000
  assert(lateMs >= 0, 'what a slot may be late is a time')
  assert(Number.isInteger(makeUp) && makeUp >= 0, 'slots are made up for whole')

  let after = closed ?? begin
  let isFresh = closed === undefined || entry.isNew === true
  let ahead = aheadOf(schedule, after)
  let due = dueAt(entry, ahead)
  let asked = 0
  let isMadeUp = false
  let isOver = false
  let notBefore = Number.NEGATIVE_INFINITY

  const goOn = (next: Ahead) => {
    ahead = next
    due = dueAt(entry, ahead)
    asked = 0
    isMadeUp = false
    isOver = false
    notBefore = Number.NEGATIVE_INFINITY
  }
  const close = (slot: number) => {
    after = slot
    isFresh = false
    goOn(slot === ahead.slot ? behind(ahead) : aheadOf(schedule, slot))
  }
  const theSlot = (reason: Unrecorded['reason']): Unrecorded => ({
    missed: { from: ahead.slot, to: ahead.slot, count: 1, exact: true },
    reason,
  })

  /** The slots that are too late even to be made up for; undefined when the next one is not. */
  const outOfReach = (now: number): Unrecorded | undefined => {
    const late = latestSlots(schedule, { after, until: now - lateMs - 1, count: makeUp + 2 })
    const last = late.at(-1)
    // Jitter may give the last one more time, but no earlier one: it ends before the slot that follows.
    const isLate =
      last !== undefined &&
      dueAt(entry, { slot: last, following: nextSlot(schedule, last) }) + lateMs < now
    const to = late[late.length - makeUp - (isLate ? 1 : 2)]
    if (to === undefined) return undefined
    if (asked > 0) return theSlot('made up for in vain')
    return { missed: missedRun(schedule, { after, to }), reason: 'not asked in time' }
  }
  /** Under a wrong clock nothing was closed yet: the calendar begins now, not at that clock's time. */
  const comeBack = (now: number) => {
    if (!isFresh || after <= now) return
    after = now
    goOn(aheadOf(schedule, now))
  }

  return {
    at: () => Math.max(due, notBefore),
    missed(now) {
      if (isOver)
        return theSlot(isMadeUp ? 'made up for in vain' : 'still open when its time was over')
      if (now <= due + lateMs) return undefined
      if (asked > 0 && !isMadeUp) return theSlot('still open when its time was over')
      return outOfReach(now)
    },
    markRecorded: ({ missed }) => close(missed.to),
    retryLater(now) {
      notBefore = now + retryMs(1)
    },
    claim(now) {
      if (now < due || now < notBefore) return undefined
      isMadeUp = now > due + lateMs
      asked += 1
      return ahead.slot
    },
    ended(outcome, now) {
      if (outcome === 'closed') return close(ahead.slot)
      const end = isMadeUp ? Number.POSITIVE_INFINITY : due + lateMs
      isOver = isMadeUp ? asked >= lateAsksMax : now >= end
      // Tried once more right at the end.
      notBefore = isOver ? now : Math.min(now + retryMs(asked), end)
    },
    setBack(now) {
      if (now < due + lateMs) isOver = false
      notBefore = Math.min(notBefore, now + retryMs(asked))
      comeBack(now)
    },
    retire(successor, now) {
      const { kind } = successor
      if (
        kind === 'cron' &&
        successor.expression === schedule.expression &&
        successor.timeZone === schedule.timeZone
      )
        return { after, unrecorded: [] }
      // A slot new on the calendar was not missed before it was there.
      const to = latestSlot(schedule, { after, now })
      if (to === undefined) return { after: Math.max(after, now), unrecorded: [] }
      const missed = missedRun(schedule, { after, to })
      return { after: now, unrecorded: [{ missed, reason: 'its calendar was replaced' }] }
    },
  }
}

/** The next slot and the one behind it, and where to go on from there. */
type Ahead = {
  readonly slot: number
  readonly following: number
  readonly rest: Generator<number, never>
}

function aheadOf(schedule: Cron, after: number): Ahead {
  const rest = slots(schedule, after)
  return { slot: rest.next().value, following: rest.next().value, rest }
}

function behind({ following, rest }: Ahead): Ahead {
  return { slot: following, following: rest.next().value, rest }
}
