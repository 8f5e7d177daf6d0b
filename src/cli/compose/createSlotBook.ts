import type { Journal } from '../../bot/journal/openJournal.ts'
import type { Missed, MissedReason } from '../../bot/schedule/course.ts'
import { slots } from '../../bot/schedule/slots.ts'
import type { LoadedStrategy } from '../../bot/strategy/load.ts'
import type { Clock } from '../../core/clock.ts'

type Run = { readonly from: number; readonly to: number; readonly count: number }

/** Keeps what became of calendar slots: where a calendar goes on after a start, and what of it was missed. */
export function createSlotBook({ journal, clock }: { journal: Journal; clock: Clock }) {
  return {
    /**
     * The strategies, each calendar with the last of its slots that is over. One that is new begins now, and that is
     * put down: its very first slot may be cut short as well.
     */
    async placed(strategies: readonly LoadedStrategy[]) {
      return Promise.all(
        strategies.map(async (loaded) => {
          const { name: strategy, schedule } = loaded
          if (schedule.kind !== 'cron') return loaded
          const known = await journal.lastClosedSlot(strategy)
          const after = known ?? clock.now()
          if (known === undefined) {
            const reason = 'The calendar begins here.'
            const begin = { strategy, slot: after, upto: after, slots: 0, reason }
            await journal.closeSlot({ ...begin, state: 'passed' })
          }
          return { ...loaded, after }
        }),
      )
    },

    /** Writes down slots that went by. One whose swap was found to have settled meanwhile is done, and not missed. */
    async missed(loaded: LoadedStrategy, missed: Missed, reason: MissedReason): Promise<void> {
      const { name: strategy } = loaded
      const { from, to } = missed
      const executed = await journal.settledSlots({ strategy, from, to })
      for (const slot of executed)
        await journal.closeSlot({
          strategy,
          slot,
          upto: slot,
          slots: 1,
          state: 'done',
          reason: 'Its swap settled while nobody asked.',
        })
      const state = begun.has(reason) ? ('failed' as const) : ('missed' as const)
      for (const run of runsWithout(executed, loaded, missed))
        await journal.closeSlot({
          strategy,
          slot: run.from,
          upto: run.to,
          slots: run.count,
          state,
          reason,
        })
    },
  }
}

/** They were asked about, and came to nothing. */
const begun: ReadonlySet<MissedReason> = new Set([
  'still open when its time was over',
  'made up for in vain',
])

/** The slots of a run that were not executed, as runs of neighbours. */
function runsWithout(
  executed: readonly number[],
  { schedule }: LoadedStrategy,
  { from, to, count, exact }: Missed,
): readonly Run[] {
  if (executed.length === 0) return [{ from, to, count }]
  const runs: Run[] = []
  let run: Run | undefined
  let seen = 0
  for (const slot of slots(schedule, from - 1)) {
    if (slot > to || seen === count) break
    seen += 1
    if (executed.includes(slot)) {
      if (run !== undefined) runs.push(run)
      run = undefined
    } else run = { from: run?.from ?? slot, to: slot, count: (run?.count ?? 0) + 1 }
  }
  // Where there were too many to count, the last run goes on to the end.
  if (run !== undefined) runs.push(exact ? run : { ...run, to })
  return runs
}
