import type { Schedule } from '../strategy/index.ts'
import { slots } from './slots.ts'

/** The entry that a schedule calls at its slots. */
export type Entry = {
  /** One of a kind: jitter, the record of slots and a replacement go by it. */
  readonly name: string
  readonly schedule: Schedule
  /** The highest goes first of all that is due at one instant; none is 0. */
  readonly priority?: number | undefined
  /** The last calendar slot that is closed, as the journal has it; without one, the calendar begins now. */
  readonly after?: number | undefined
  /** `after` is where the calendar begins: nothing of it is closed. */
  readonly isNew?: boolean | undefined
}

/**
 * `open`: take another turn at this slot. A period of an hour or less goes on to its next slot instead. `hindered`: open,
 * for a cause outside that may last. Such a period then leaves slots out, more of them each time.
 */
export type TurnEnd = 'closed' | 'open' | 'hindered'

/** Calendar slots that are over without having been closed by a tick: all from the first to the last of them. */
export type Missed = {
  readonly from: number
  /** The last; the same as `from` where it is one slot. It is what `after` is from now on. */
  readonly to: number
  readonly count: number
  /** False where counting stopped at `count` because there were more. */
  readonly exact: boolean
}

/** Why a slot was missed. */
export type MissedReason =
  | 'not decided in time'
  | 'still open when its time was over'
  | 'made up for in vain'
  | 'its calendar was replaced'
  | 'its books were recovered: whether it was bought is unknown'

/** Slots failed where their turns were taken and came to nothing. */
export const stateOfMissed = (reason: MissedReason): 'failed' | 'missed' =>
  reason === 'still open when its time was over' || reason === 'made up for in vain'
    ? 'failed'
    : 'missed'

/** Missed slots that are not recorded yet: the entry goes on when they are. */
export type Unrecorded = {
  readonly missed: Missed
  readonly reason: MissedReason
  /** Whose slots they are: the entry may have another schedule by now. */
  readonly schedule: Schedule
}

/** The slots of one entry, in order, and where it is among them. */
export type Timetable = {
  /** When to look at it next. */
  readonly at: () => number
  /** Missed slots that must be recorded before the next slot is due. */
  readonly missed: (now: number) => Unrecorded | undefined
  /** They are recorded: the entry goes on behind them. */
  readonly markRecorded: (unrecorded: Unrecorded) => void
  /** They could not be recorded: try again later. */
  readonly retryLater: (now: number) => void
  /** The slot that is due now; undefined when none is. */
  readonly claim: (now: number) => number | undefined
  /** The turn at the claimed slot has ended. */
  readonly ended: (end: TurnEnd, now: number) => void
  /** The clock may have been set back to now. */
  readonly setBack: (now: number) => void
  /** Another schedule takes its place, or none: where that begins, and the missed slots of this one. */
  readonly retire: (
    successor: Schedule | undefined,
    now: number,
  ) => { readonly after: number; readonly unrecorded: readonly Unrecorded[] }
}

/** The timetable of an entry that is gone: nothing is due any more. */
export const overTimetable: Timetable = {
  at: () => Number.POSITIVE_INFINITY,
  missed: () => undefined,
  markRecorded: () => {},
  retryLater: () => {},
  claim: () => undefined,
  ended: () => {},
  setBack: () => {},
  retire: (_successor, now) => ({ after: now, unrecorded: [] }),
}

/** A timetable that begins when something else is on record: what became of the slots of the calendar it replaces. */
export function afterUnrecorded(timetable: Timetable, pending: readonly Unrecorded[]): Timetable {
  if (pending.length === 0) return timetable
  let left = pending
  let notBefore = Number.NEGATIVE_INFINITY
  return {
    ...timetable,
    at: () => (left.length === 0 ? timetable.at() : notBefore),
    missed: (now) => left[0] ?? timetable.missed(now),
    markRecorded(unrecorded) {
      if (left.length === 0) timetable.markRecorded(unrecorded)
      left = left.slice(1)
    },
    retryLater(now) {
      timetable.retryLater(now)
      notBefore = now + retryMs(1)
    },
    setBack(now) {
      timetable.setBack(now)
      notBefore = Math.min(notBefore, now + retryMs(1))
    },
    retire(successor, now) {
      const { after, unrecorded } = timetable.retire(successor, now)
      return { after, unrecorded: [...left, ...unrecorded] }
    },
  }
}

/** Counting further would hold up the process: this many slots of a calendar take 40 ms. */
const countMax = 1_000

/** The slots after `after`, up to the slot `to`, as one run. Counting stops beyond a thousand. */
export function missedRun(
  schedule: Schedule,
  { after, to }: { readonly after: number; readonly to: number },
): Missed {
  const ahead = slots(schedule, after)
  const from = ahead.next().value
  let [last, count] = [from, 1]
  for (; last < to && count < countMax; count += 1) last = ahead.next().value
  return { from, to, count, exact: last === to }
}

const firstMs = 15_000
const longestMs = 300_000

/** The wait before a slot that stayed open is tried again: 15 seconds, each time twice as long, up to 5 minutes. */
export function retryMs(asked: number): number {
  return Math.min(firstMs * 2 ** Math.max(0, asked - 1), longestMs)
}

const hinderedMs = 2_000
const hinderedMsMax = 60_000

/** The wait of a short period after hindered turns in a row: 2 seconds, each time twice as long, up to a minute. */
export function pauseMs(hindered: number): number {
  return Math.min(hinderedMs * 2 ** Math.max(0, hindered - 1), hinderedMsMax)
}

/** The number of tries of one calendar slot before it is given up: live, on paper and over a tape. */
export const slotTriesMax = 5
