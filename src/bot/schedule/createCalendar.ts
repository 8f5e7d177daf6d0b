import { assert } from '../../core/assert.ts'
import type { Cron, Schedule } from '../strategy/index.ts'
import { dueAt, latestSlot, latestSlots, nextSlot, slots } from './slots.ts'
import { missedRun, retryMs, type Timetable, type Unrecorded } from './timetable.ts'

/** A market that is away for half an hour costs a day's swap an hour's delay, and never the swap. */
const lateSecondsDefault = 3_600

/**
 * The timetable of a calendar: every slot is closed once and in order, by a tick or as missed, and the next one waits
 * for that. A slot may be called from its due time until it is late; later it is missed, and of those only the latest
 * `makeUp` are still called, each for as long as it might have been late. Missed slots are found from `after` and the time alone, so a restart finds the same.
 */
export function createCalendar(
  entry: CalendarEntry,
  { after: closed, now: begin }: { readonly after: number | undefined; readonly now: number },
): Timetable {
  const { schedule } = entry
  const { lateMs } = allowanceOf(schedule)
  let after = closed ?? begin
  let isFresh = closed === undefined || entry.isNew === true
  let slot = newSlot(entry, aheadOf(schedule, after))

  const close = (closing: number) => {
    after = closing
    isFresh = false
    const isNext = closing === slot.ahead.slot
    slot = newSlot(entry, isNext ? behind(slot.ahead) : aheadOf(schedule, closing))
  }
  const theSlot = (reason: Unrecorded['reason']): Unrecorded => ({
    missed: { from: slot.ahead.slot, to: slot.ahead.slot, count: 1, exact: true },
    ...{ reason, schedule },
  })

  return {
    at: () => Math.max(slot.due, slot.notBefore),
    missed(now) {
      const { due, asked, isMadeUp, isOver } = slot
      if (isOver)
        return theSlot(isMadeUp ? 'made up for in vain' : 'still open when its time was over')
      if (now <= due + lateMs) return undefined
      if (asked > 0 && !isMadeUp) return theSlot('still open when its time was over')
      const to = lastOutOfReach(entry, { after, now })
      if (to === undefined) return undefined
      if (asked > 0) return theSlot('made up for in vain')
      return { missed: missedRun(schedule, { after, to }), reason: 'not decided in time', schedule }
    },
    markRecorded: ({ missed }) => close(missed.to),
    retryLater(now) {
      slot.notBefore = now + retryMs(1)
    },
    claim(now) {
      if (now < slot.due || now < slot.notBefore) return undefined
      slot.isMadeUp = now > slot.due + lateMs
      if (slot.asked === 0) slot.since = now
      slot.asked += 1
      return slot.ahead.slot
    },
    ended(outcome, now) {
      const { ahead, due, since, asked, isMadeUp } = slot
      if (outcome === 'closed') return close(ahead.slot)
      const end = (isMadeUp ? since : due) + lateMs
      slot.isOver = now >= end
      // Tried once more right at the end.
      slot.notBefore = slot.isOver ? now : Math.min(now + retryMs(asked), end)
    },
    setBack(now) {
      if (now < slot.due + lateMs) slot.isOver = false
      slot.since = Math.min(slot.since, now)
      slot.notBefore = Math.min(slot.notBefore, now + retryMs(slot.asked))
      // Under a wrong clock nothing was closed yet: the calendar begins now, not at that clock's time.
      if (!isFresh || after <= now) return
      after = now
      slot = newSlot(entry, aheadOf(schedule, now))
    },
    retire(successor, now) {
      if (isSameCalendar(schedule, successor)) return { after, unrecorded: [] }
      // A slot new on the calendar was not missed before it was there.
      const to = latestSlot(schedule, { after, now })
      if (to === undefined) return { after: Math.max(after, now), unrecorded: [] }
      const missed = missedRun(schedule, { after, to })
      return { after: now, unrecorded: [{ missed, reason: 'its calendar was replaced', schedule }] }
    },
  }
}

/** How long after its due time a slot may still be decided. */
export const lateMsOf = ({ late = lateSecondsDefault }: Cron): number => late * 1_000

/** How late a slot may be, and the number of later ones that are still made up for. */
function allowanceOf(schedule: Cron) {
  const { makeUp = 0 } = schedule
  const lateMs = lateMsOf(schedule)
  assert(lateMs >= 0, 'what a slot may be late is a time')
  assert(Number.isInteger(makeUp) && makeUp >= 0, 'slots are made up for whole')
  return { makeUp, lateMs }
}

type CalendarEntry = {
  readonly name: string
  readonly schedule: Cron
  readonly isNew?: boolean | undefined
}

/** The slot to be closed next, and its turns so far. */
const newSlot = (entry: CalendarEntry, ahead: Ahead) => ({
  ahead,
  due: dueAt(entry, ahead),
  asked: 0,
  /** The first turn: what is made up for is late as it is, and its time begins then. */
  since: Number.POSITIVE_INFINITY,
  isMadeUp: false,
  isOver: false,
  notBefore: Number.NEGATIVE_INFINITY,
})

/** The last slot that is too late even to be made up for; undefined when the next one is not. */
function lastOutOfReach(
  entry: CalendarEntry,
  { after, now }: { readonly after: number; readonly now: number },
): number | undefined {
  const { schedule } = entry
  const { makeUp, lateMs } = allowanceOf(schedule)
  const late = latestSlots(schedule, { after, until: now - lateMs - 1, count: makeUp + 2 })
  const last = late.at(-1)
  // Jitter may give the last one more time, but no earlier one: it ends before the slot that follows.
  const isLate =
    last !== undefined &&
    dueAt(entry, { slot: last, following: nextSlot(schedule, last) }) + lateMs < now
  return late[late.length - makeUp - (isLate ? 1 : 2)]
}

const isSameCalendar = (schedule: Cron, other: Schedule | undefined) =>
  other?.kind === 'cron' &&
  other.expression === schedule.expression &&
  other.timeZone === schedule.timeZone

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
