import { createCalendar } from '../bot/schedule/createCalendar.ts'
import { createPeriod } from '../bot/schedule/createPeriod.ts'
import { slots } from '../bot/schedule/slots.ts'
import { stateOfMissed, type Timetable, type TurnEnd } from '../bot/schedule/timetable.ts'
import type { LoadedStrategy } from '../bot/strategy/load.ts'
import type { Amount } from '../core/amount.ts'
import { BallastError } from '../core/errors.ts'
import { sumIn } from '../core/holdings.ts'
import { takeNext, type Waiting } from '../engine/createLane.ts'
import { createLedger } from '../engine/ledger.ts'
import { turn } from '../engine/turn.ts'
import { type Assumptions, createChance, type Setting } from './assumptions.ts'
import type { TapeMarket } from './createTapeMarket.ts'
import { createTapeWorld } from './createTapeWorld.ts'
import { emptyTally, type ReplayTally } from './tally.ts'

type Replaying = {
  readonly setting: Setting
  readonly strategies: readonly LoadedStrategy[]
  readonly market: TapeMarket
  readonly assumptions: Assumptions
  /** Milliseconds since the epoch, both included. */
  readonly from: number
  readonly until: number
  /** Called now and then with the instant of the tape, so that the process notices a signal to stop; may throw. */
  readonly pause: (at: number) => Promise<void>
}

/** Strategies over a tape, and the wallet after it. */
export type Replayed = {
  readonly tallies: ReadonlyMap<string, ReplayTally>
  readonly before: readonly Amount[]
  readonly after: readonly Amount[]
}

/** Ticks between two pauses: some tens of milliseconds. */
const ticksPerPause = 5_000

/**
 * Runs strategies over a tape on a virtual clock: the courses of `ballast run`, the same `decide`, the same screen of
 * policy. One wallet, one thing at a time: what is due while a swap is under way waits in line, as it does live.
 */
export async function replay(replaying: Replaying): Promise<Replayed> {
  const { setting, strategies, market, assumptions, from, until, pause } = replaying
  const ledger = createLedger({
    coin: setting.tokens,
    balances: [...setting.tokens.bySymbol.values()].map((token) => ({
      token,
      wei: sumIn(assumptions.holds, token),
    })),
  })
  const before = ledger.balances()
  const chance = createChance(assumptions.seed)
  const tallies = new Map(strategies.map(({ name }) => [name, emptyTally()]))
  const tape = createTapeWorld({
    ...{ setting, market, assumptions, ledger, chance, strategies, tallies },
  })
  const lanes = strategies.map((loaded) => ({
    loaded,
    tally: tallies.get(loaded.name) ?? emptyTally(),
    timetable: timetableOf(loaded, from),
    isBusy: false,
  }))
  const line: (Waiting & {
    readonly lane: (typeof lanes)[number]
    readonly slot: number
    readonly at: number
  })[] = []
  let free = from
  let ticks = 0

  for (;;) {
    const first = line[0]
    let due = Number.POSITIVE_INFINITY
    for (const { timetable, isBusy } of lanes) if (!isBusy) due = Math.min(due, timetable.at())
    const now = Math.max(free, first?.at ?? 0)
    // Whatever waits by then has come by then.
    const next = now <= due ? takeNext(line) : undefined
    if (next !== undefined) {
      const { lane, slot } = next
      // Slots after the end of the tape are not decided.
      if (now > until) break
      tape.moveTo(now)
      const outcome = await turn(tape.world, { loaded: lane.loaded, slot }).catch(hinderedBy)
      free = tape.now()
      lane.timetable.ended(outcome, free)
      lane.isBusy = false
      ticks += 1
      if (ticks % ticksPerPause === 0) await pause(now)
      continue
    }
    if (due > until) break
    const asked = lanes.filter(({ timetable, isBusy }) => !isBusy && timetable.at() <= due)
    const asks = asked.flatMap((lane) => {
      recordMissed(lane, due)
      const slot = lane.timetable.claim(due)
      if (slot === undefined) return []
      lane.isBusy = true
      return [{ lane, slot, at: due, priority: lane.loaded.priority, overtaken: 0 }]
    })
    line.push(...asks.sort((a, b) => b.priority - a.priority || a.slot - b.slot))
  }
  for (const lane of lanes) recordLeft(lane, { from, until })
  return {
    tallies,
    before,
    after: ledger.balances(),
  }
}

/** No market, as for a live bot: its timetable tries again. */
function hinderedBy(error: unknown): TurnEnd {
  if (error instanceof BallastError && error.code === 'REPLAY_UNSEEN') return 'hindered'
  throw error
}

function timetableOf({ name, schedule }: LoadedStrategy, from: number): Timetable {
  return schedule.kind === 'every'
    ? createPeriod({ name, schedule }, { now: from - 1 })
    : createCalendar({ name, schedule }, { after: from - 1, now: from })
}

function recordMissed(
  {
    timetable,
    tally,
    loaded,
  }: { timetable: Timetable; tally: ReplayTally; loaded: LoadedStrategy },
  now: number,
): void {
  for (
    let unrecorded = timetable.missed(now);
    unrecorded !== undefined;
    unrecorded = timetable.missed(now)
  ) {
    const { missed, reason } = unrecorded
    for (const slot of slots(loaded.schedule, missed.from - 1)) {
      if (slot > missed.to) break
      tally.slots.push({ slot, state: stateOfMissed(reason), reason })
    }
    timetable.markRecorded(unrecorded)
  }
}

/** Slots are closed in order: what comes after the last one was not decided when the tape ended. */
function recordLeft(
  { tally, loaded: { schedule } }: { tally: ReplayTally; loaded: LoadedStrategy },
  { from, until }: { readonly from: number; readonly until: number },
): void {
  if (schedule.kind !== 'cron') return
  for (const slot of slots(schedule, tally.slots.at(-1)?.slot ?? from - 1)) {
    if (slot > until) break
    tally.slots.push({
      slot,
      state: 'missed',
      reason: 'the tape ended before it was decided',
    })
  }
}
