import type { WrittenDecision } from '../../bot/journal/decisions/decisions.ts'
import type { JournalReader } from '../../bot/journal/readJournal.ts'
import type { Coin } from '../../core/token.ts'
import { type DecisionStory, decisionStory } from './decisionStory.ts'
import type { Current } from './recheck.ts'
import type { SwapStory } from './swapStory.ts'
import { tellSwap } from './tellSwap.ts'

/** Decisions of one slot, and the swaps that came of them. */
export async function tellDecision(
  decisions: readonly WrittenDecision[],
  {
    journal,
    current,
    coin,
  }: {
    readonly journal: JournalReader
    readonly current: Current
    readonly coin: Coin
  },
): Promise<readonly [readonly DecisionStory[], readonly SwapStory[]]> {
  const [first] = decisions
  if (first === undefined) return [[], []]
  const ids = await journal.swaps.ofSlot(first)
  const swaps = await journal.swaps.dossiers(ids)
  return [
    await Promise.all(
      decisions.map(async (one) =>
        decisionStory(one, { current, refusals: await journal.decisions.refusals(one.id) }),
      ),
    ),
    await Promise.all(swaps.map((swap) => tellSwap(swap, { journal, coin }))),
  ]
}
