import type { UnsignedJournal } from '../bot/journal/createUnsigned.ts'
import type { ClosedSlot } from '../bot/journal/slots/slots.ts'
import { latestSlot, nextSlot, slots } from '../bot/schedule/slots.ts'
import {
  type Missed,
  type MissedReason,
  missedRun,
  stateOfMissed,
  type Unrecorded,
} from '../bot/schedule/timetable.ts'
import type { Cron, Schedule } from '../bot/strategy/index.ts'
import type { LoadedStrategy } from '../bot/strategy/load.ts'
import type { Clock } from '../core/clock.ts'
import { ballastError } from '../core/errors.ts'
import { slotEnd } from './slotEnd.ts'

type Run = { readonly from: number; readonly to: number; readonly count: number }

type SlotBookParts = {
  readonly journal: Pick<UnsignedJournal, 'slots'>
  /** Follows open swaps to their end. A calendar that waits for one of its own takes no turn that would do it. */
  readonly finishOpen: () => Promise<void>
  readonly clock: Clock
  /** Time of the newest block; milliseconds since the epoch. */
  readonly chainTime: () => Promise<number>
}

/** A chain's newest block may be this much older than a slot that is over: slow blocks, and clocks that differ. */
const chainLagMsMax = 10 * 60_000

/** Keeps what became of calendar slots: where a calendar goes on after a start, and what of it was missed. */
export function createSlotBook(parts: SlotBookParts) {
  const { journal, clock } = parts
  return {
    /**
     * The strategies, each calendar with the last of its slots that is over. One that is new begins now, as does one
     * that was written otherwise before or, of those that ran until now, was not there: that is put down, since its very
     * first slot may be cut short as well, and what went by meanwhile is nobody's. So it is of one that is taken out. At a
     * start, without strategies `before`, the slots of the old calendar that went by are put on record first; while the bot
     * runs, the schedule does that when their turns are over.
     */
    async placed(strategies: readonly LoadedStrategy[], before?: readonly LoadedStrategy[]) {
      const isStart = before === undefined
      await putDownGone(parts, { strategies, isStart })
      return Promise.all(
        strategies.map(async (loaded) => {
          const { name: strategy, schedule } = loaded
          if (schedule.kind !== 'cron') return loaded
          const calendar = calendarOf(schedule)
          const known = await lastKnown(parts, { strategy, calendar, isStart })
          const ran = isStart || before.some(({ name }) => name === strategy)
          if (known !== undefined && (known.calendar ?? calendar) === calendar && ran)
            return { ...loaded, after: known.upto }
          // Its row is its own: a slot may be due at this very instant.
          const after = Math.max(clock.now(), (known?.upto ?? 0) + 1)
          const begin = { strategy, slot: after, upto: after, slots: 0, calendar }
          await journal.slots.close({
            ...begin,
            state: 'passed',
            reason:
              ran && known !== undefined && known.calendar !== noCalendar
                ? 'Another calendar begins here.'
                : 'The calendar begins here.',
          })
          return { ...loaded, after, isNew: true }
        }),
      )
    },

    /**
     * Writes down, in order, slots that went by. One of which a swap was found to have settled meanwhile ends as it does
     * after a turn: done, or failed where that was a part of it. Throws SLOT_AHEAD_OF_CHAIN where the chain has not come as
     * far as the last of them: what is written down is never turned on again, and a clock may leap.
     */
    missed: (strategy: string, unrecorded: Unrecorded): Promise<void> =>
      putDownMissed(parts, { strategy, ...unrecorded }),
  }
}

async function putDownMissed(
  { journal, finishOpen, chainTime }: SlotBookParts,
  { strategy, missed, reason, schedule }: Unrecorded & { readonly strategy: string },
): Promise<void> {
  const chainAt = await chainTime()
  if (missed.to > chainAt + chainLagMsMax)
    throw ballastError(
      'SLOT_AHEAD_OF_CHAIN',
      'A calendar slot seems to be over, and the chain has not come as far.',
      { strategy, slot: missed.to, chainAt },
    )
  const executed = await executedIn({ journal, finishOpen }, { strategy, ...missed })
  const left =
    reason === 'not decided in time'
      ? await leftOpenIn(journal, { strategy, schedule, ...missed })
      : []
  const calendar = schedule.kind === 'cron' ? calendarOf(schedule) : null
  const state = stateOfMissed(reason)
  // The first word on a slot stands: a swap that settled counts for more than a decision.
  const ends = [...(await endsOf(executed, { journal, strategy })), ...left]
  const closed: readonly ClosedSlot[] = [
    ...ends.map(({ slot, ...end }) => ({
      ...{ strategy, slot, upto: slot, slots: 1, calendar },
      ...end,
    })),
    ...runsWithout(
      ends.map(({ slot }) => slot),
      schedule,
      missed,
    ).map(({ from, to, count }) => ({
      ...{ strategy, slot: from, upto: to, slots: count, calendar },
      state,
      reason,
    })),
  ]
  // A start goes on behind the last that is written: nothing before it may be left out.
  for (const one of [...closed].sort((a, b) => a.slot - b.slot)) await journal.slots.close(one)
}

/**
 * The last slot of a strategy that is over. At a start, where that is one of another calendar than it has now, the slots of
 * that calendar until now are put on record first: nothing else knows of them any more.
 */
async function lastKnown(
  parts: SlotBookParts,
  {
    strategy,
    calendar,
    isStart,
  }: {
    readonly strategy: string
    /** Undefined of a strategy that has none any more. */
    readonly calendar: string | undefined
    readonly isStart: boolean
  },
) {
  const { lastClosed } = parts.journal.slots
  const known = await lastClosed(strategy)
  // Older rows do not name their calendar.
  const before = known?.calendar ?? noCalendar
  if (!isStart || known === undefined || before === noCalendar || before === calendar) return known
  const schedule = cronOf(before)
  const to = latestSlot(schedule, { after: known.upto, now: parts.clock.now() })
  if (to === undefined) return known
  const missed = missedRun(schedule, { after: known.upto, to })
  const reason = 'its calendar was replaced'
  await putDownMissed(parts, { strategy, missed, reason, schedule })
  return lastClosed(strategy)
}

/** Of a strategy without a calendar. */
const noCalendar = ''

/** Ends the calendars of those that are not there any more: put back, also by a later start, they begin anew. */
async function putDownGone(
  parts: SlotBookParts,
  {
    strategies,
    isStart,
  }: { readonly strategies: readonly LoadedStrategy[]; readonly isStart: boolean },
): Promise<void> {
  const { journal, clock } = parts
  const timed = strategies.filter(({ schedule }) => schedule.kind === 'cron')
  for (const strategy of await journal.slots.strategies()) {
    if (timed.some(({ name }) => name === strategy)) continue
    const known = await lastKnown(parts, { strategy, calendar: undefined, isStart })
    if (known === undefined || known.calendar === noCalendar) continue
    const slot = Math.max(clock.now(), known.upto + 1)
    await journal.slots.close({
      ...{ strategy, slot, upto: slot, slots: 0, calendar: noCalendar },
      ...{ state: 'passed', reason: 'Its calendar was taken out here.' },
    })
  }
}

/** Slots of a run that have had their execution. */
async function executedIn(
  { journal, finishOpen }: Pick<SlotBookParts, 'journal' | 'finishOpen'>,
  { strategy, from, to }: Missed & { readonly strategy: string },
): Promise<readonly number[]> {
  const begun = await journal.slots.begun({ strategy, from, to })
  if (!begun.some(({ isOpen }) => isOpen)) return begun.map(({ slot }) => slot)
  await finishOpen()
  const decided = await journal.slots.begun({ strategy, from, to })
  if (decided.some(({ isOpen }) => isOpen))
    throw ballastError('SLOT_UNDECIDED', 'A swap of a slot that went by is not decided yet.', {
      strategy,
    })
  return decided.map(({ slot }) => slot)
}

/** Slots of a run that an earlier process decided on, and left open: they were asked for, in vain. */
async function leftOpenIn(
  journal: SlotBookParts['journal'],
  { schedule, ...run }: Missed & { readonly strategy: string; readonly schedule: Schedule },
) {
  const decided = await journal.slots.decided(run)
  // Those of a schedule of before are no slots of this one.
  const own = decided.filter((slot) => nextSlot(schedule, slot - 1) === slot)
  const reason: MissedReason = 'still open when its time was over'
  return own.map((slot) => ({ slot, state: 'failed' as const, reason }))
}

/** How slots ended of which a swap settled. */
const endsOf = (
  executed: readonly number[],
  { journal, strategy }: Pick<SlotBookParts, 'journal'> & { readonly strategy: string },
) =>
  Promise.all(
    [...new Set(executed)].map(async (slot) => {
      const end = slotEnd(await journal.slots.progress({ strategy, slot }))
      return end?.state === 'failed'
        ? { slot, ...end }
        : { slot, state: 'done' as const, reason: 'Its swap settled while no turn was taken.' }
    }),
  )

/** The slots of a run without those that have an end of their own, as runs of neighbours. */
function runsWithout(
  ended: readonly number[],
  schedule: Schedule,
  { from, to, count, exact }: Missed,
): readonly Run[] {
  if (ended.length === 0) return [{ from, to, count }]
  const runs: Run[] = []
  let run: Run | undefined
  let seen = 0
  for (const slot of slots(schedule, from - 1)) {
    if (slot > to || seen === count) break
    seen += 1
    if (ended.includes(slot)) {
      if (run !== undefined) runs.push(run)
      run = undefined
    } else run = { from: run?.from ?? slot, to: slot, count: (run?.count ?? 0) + 1 }
  }
  // Where there were too many to count, the last run goes on to the end.
  if (run !== undefined) runs.push(exact ? run : { ...run, to })
  return runs
}

/** Names a calendar: slots of another one are not its own. */
export const calendarOf = ({ expression, timeZone }: Cron): string => `${expression} ${timeZone}`

/** The inverse: no name of a time zone has a blank. */
function cronOf(calendar: string): Cron {
  const blank = calendar.lastIndexOf(' ')
  const [expression, timeZone] = [calendar.slice(0, blank), calendar.slice(blank + 1)]
  return { kind: 'cron', expression, timeZone }
}
