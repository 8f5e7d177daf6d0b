import type { UnsignedJournal } from '../../bot/journal/createUnsigned.ts'
import { nextSlot } from '../../bot/schedule/nextSlot.ts'
import type { LoadedStrategy } from '../../bot/strategy/load.ts'
import type { StrategyView } from '../../dashboard/queries.ts'

/** A strategy with its latest decision, where there is one among these, and when it is asked next. */
export function strategyView(
  { name, strategy, schedule }: LoadedStrategy,
  {
    latest,
    now,
  }: { latest: Awaited<ReturnType<UnsignedJournal['decisions']['latest']>>; now: number },
): StrategyView {
  const last = latest.find((one) => one.strategy === name)
  return {
    name,
    summary: strategy.summary,
    decision: last?.kind ?? null,
    reason: last?.reason ?? null,
    decidedAt: last === undefined ? null : new Date(last.at).toISOString(),
    nextAt: new Date(nextSlot(schedule, now)).toISOString(),
  }
}
