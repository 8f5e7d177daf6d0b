import type { Schedule } from '../strategy/index.ts'
import { slots } from './slots.ts'

/** Something to be asked by a schedule. */
export type Entry = {
  /** One of a kind: jitter, the record of slots and a replacement go by it. */
  readonly name: string
  readonly schedule: Schedule
  /** Of all that is due at one instant, the highest is asked first; none is 0. */
  readonly priority?: number | undefined
  /** The last calendar slot that is closed, as the journal has it; without one, the calendar begins now. */
  readonly after?: number | undefined
  /** `after` is where the calendar begins: nothing of it is closed. */
  readonly isNew?: boolean | undefined
}

/** `open`: take another turn at this slot. Only a calendar does; a period goes on to its next slot. */
export type TurnEnd = 'closed' | 'open'

/** Calendar slots that are over without having been closed by a tick: all from the first to the last of them. */
export type Missed = {
  readonly from: number
  /** The last; the same as `from` where it is one slot. It is what `after` is from now on. */
  readonly to: number
  readonly count: number
  /** False where there were so many that counting ended at `count`. */
  readonly exact: boolean
}

/** Why a slot was missed. */
export type MissedReason =
  | 'not asked in time'
  | 'still open when its time was over'
  | 'made up for in vain'
  | 'its calendar was replaced'

/** What has to be put on record before the entry goes on. */
export type Owed = { readonly missed: Missed; readonly reason: MissedReason }

/** Where an entry is on its way from slot to slot. */
export type Timetable = {
  /** When to look at it next. */
  readonly at: () => number
  /** What must be on record as missed before anything is asked. */
  readonly missed: (now: number) => Owed | undefined
  /** It is on record: go on behind it. */
  readonly recorded: (owed: Owed) => void
  /** It could not be put on record: try again later. */
  readonly putOff: (now: number) => void
  /** The slot to ask for now; undefined when none is due. */
  readonly take: (now: number) => number | undefined
  /** The tick for the slot that was taken has ended. */
  readonly ended: (end: TurnEnd, now: number) => void
  /** The clock may have been set back to now. */
  readonly setBack: (now: number) => void
  /** Another schedule takes its place: where that begins, and what has to be on record of this one. */
  readonly leave: (
    successor: Schedule,
    now: number,
  ) => { readonly after: number; readonly owed: readonly Owed[] }
}

/** A course that begins when something else is on record: what became of the slots of the calendar it replaces. */
export function owing(course: Timetable, debts: readonly Owed[]): Timetable {
  if (debts.length === 0) return course
  let left = debts
  let notBefore = Number.NEGATIVE_INFINITY
  return {
    ...course,
    at: () => (left.length === 0 ? course.at() : notBefore),
    missed: (now) => left[0] ?? course.missed(now),
    recorded(owed) {
      if (left.length === 0) course.recorded(owed)
      left = left.slice(1)
    },
    putOff(now) {
      course.putOff(now)
      notBefore = now + retryMs(1)
    },
    setBack(now) {
      course.setBack(now)
      notBefore = Math.min(notBefore, now + retryMs(1))
    },
    leave(successor, now) {
      const { after, owed } = course.leave(successor, now)
      return { after, owed: [...left, ...owed] }
    },
  }
}

/** Counting further would hold up the process: this many slots of a calendar take 40 ms. */
const countMax = 1_000

/** The slots after `after`, up to the slot `to`, as one run. Beyond a thousand it only says that there were so many. */
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

/** How long until a slot that stayed open is asked about again: 15 seconds, each time twice as long, up to 5 minutes. */
export function retryMs(asked: number): number {
  return Math.min(firstMs * 2 ** Math.max(0, asked - 1), longestMs)
}

/** How often one calendar slot is begun before it is given up: live, on paper and over a tape. */
export const slotTriesMax = 5
