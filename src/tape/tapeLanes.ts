import { Refused } from '../core/check.ts'
import type { BallastError } from '../core/errors.ts'
import type { Ledger } from '../engine/ledger.ts'
import type { SlotProgress } from '../engine/slotEnd.ts'
import { broke } from '../engine/transientBooks.ts'
import type { TurnBooks } from '../engine/turn.ts'
import { count, type ReplayTally } from './tally.ts'
import type { TapeView } from './viewOf.ts'

/** One strategy on its way over the tape: what it did so far, and the slot it is at. */
export type Lane = {
  readonly index: number
  readonly tally: ReplayTally
  view: TapeView | undefined
  slot: number
  /** Turns that were taken at this slot. */
  looks: number
  progress: SlotProgress
  /** The last try at the slot that the service answered. */
  answered: number
}

const nothingBegun: SlotProgress = Object.freeze({
  ...{ settled: 0, open: false, planned: 0, tries: 0, answered: 0 },
})

export function createLanes(tallies: ReadonlyMap<string, ReplayTally>) {
  const lanes = new Map(
    [...tallies].map(([name, tally], index): [string, Lane] => [
      name,
      { index, tally, view: undefined, slot: 0, looks: 0, progress: nothingBegun, answered: -1 },
    ]),
  )
  const laneOf = (name: string): Lane => {
    const lane = lanes.get(name)
    if (lane === undefined) throw new Error(`${name} is on the tape`)
    return lane
  }
  return {
    laneOf,
    /** The lane of a strategy that takes a turn at a slot. */
    enter(name: string, slot: number): Lane {
      const lane = laneOf(name)
      if (lane.slot !== slot)
        Object.assign(lane, { slot, looks: 0, progress: nothingBegun, answered: -1 })
      lane.looks += 1
      lane.tally.asked += 1
      return lane
    },
    /** Uses up a try at the slot, however many orders of it were answered: one without an answer uses up nothing. */
    answer(lane: Lane, attempt: number): void {
      if (lane.answered === attempt) return
      lane.answered = attempt
      lane.progress = { ...lane.progress, answered: lane.progress.answered + 1 }
    },
  }
}

/** The books of a replay: tallies by strategy, and the memory that a decision leaves. */
export const tapeBooks = (
  { laneOf }: ReturnType<typeof createLanes>,
  ledger: Ledger,
  forget: (strategy: string) => void,
): TurnBooks => ({
  finishOpen: async () => {},
  async progress(strategy, slot) {
    const lane = laneOf(strategy)
    return lane.slot === slot ? lane.progress : nothingBegun
  },
  async decided({ loaded, decision }) {
    const { tally } = laneOf(loaded.name)
    tally.decided += 1
    ledger.remember(loaded.name, decision.memory)
    if (decision.memory !== undefined) forget(loaded.name)
    if (decision.kind !== 'swap')
      count(tally.waits, decision.reason, withoutNumbers(decision.reason))
    return tally.decided
  },
  broke,
  async refused({ loaded }, { error }) {
    count(laneOf(loaded.name).tally.unsent, reasonFor(error))
  },
  async closeSlot({ name }, slot, end) {
    laneOf(name).tally.slots.push({ slot, ...end })
  },
})

function reasonFor(error: BallastError): string {
  if (!(error instanceof Refused)) return error.summary
  return `refused by ${error.checks.find(({ ok }) => !ok)?.name ?? error.code}`
}

/** Reasons differ in their numbers from turn to turn; the kind of sentence is counted. */
const withoutNumbers = (reason: string) => reason.replace(/\d[\d.:TZ-]*\d|\d/g, '#')
