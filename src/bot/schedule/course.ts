import type { Schedule } from '../strategy/index.ts'

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

/** `open`: ask about this slot again. Only a calendar listens; a period has no slots to come back to. */
export type Outcome = 'closed' | 'open'

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
export type Course = {
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
  readonly ended: (outcome: Outcome, now: number) => void
  /** The clock may have been set back to now. */
  readonly setBack: (now: number) => void
  /** Another schedule takes its place: where that begins, and what has to be on record of this one. */
  readonly leave: (
    successor: Schedule,
    now: number,
  ) => { readonly after: number; readonly owed: readonly Owed[] }
}
