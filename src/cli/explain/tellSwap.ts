import type { Dossier } from '../../bot/dossier.ts'
import { covers } from '../../bot/journal/locks/covers.ts'
import type { JournalReader } from '../../bot/journal/readJournal.ts'
import type { Coin } from '../../core/token.ts'
import { type SwapStory, swapStory } from './swapStory.ts'

/** Ends that a lock may have caused. */
const stopped = ['ABANDONED', 'REJECTED', 'EXPIRED_DEAD']

/** Reads what belongs to a swap besides its rows: its log, the decision it comes from, the locks that met it. */
export async function tellSwap(
  swap: Dossier,
  { journal, coin }: { readonly journal: JournalReader; readonly coin: Coin },
): Promise<SwapStory> {
  const entries = await journal.log.ofSwap(swap.id)
  const locks = stopped.includes(swap.state) ? await journal.locks.at(swap.updatedAt) : []
  const { wallet, strategy, intent } = swap.plan
  const pair = { sell: intent.sell.token.symbol, buy: intent.buy.symbol }
  const own = locks.filter((lock) => covers(lock, { wallet, strategy, pair }, coin))
  return swapStory(swap, {
    entries,
    decision: await decisionOf(swap, journal),
    locks: own,
    currency: coin.native.symbol,
  })
}

/** The newest decision of its slot to swap that was made before it was planned. */
async function decisionOf({ plan, strategy, createdAt }: Dossier, journal: JournalReader) {
  const ofStrategy = `${strategy}:`
  if (!plan.key.startsWith(ofStrategy)) return undefined
  const slot = /^\d+(?=:)/.exec(plan.key.slice(ofStrategy.length))?.[0]
  if (slot === undefined) return undefined
  const decisions = await journal.decisions.find({ strategy, slot: Number(slot) })
  return decisions.findLast(({ at, kind }) => kind === 'swap' && at <= createdAt)?.id
}
