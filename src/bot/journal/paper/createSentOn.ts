import { sameAddress } from '../../../core/token.ts'
import type { AccountBalance } from '../../strategy/index.ts'
import { readFacts } from '../log/facts.ts'
import type { Store } from '../store/store.ts'
import { readPlan } from '../store/text.ts'
import { swapsOf } from '../wallet/moves.ts'

/**
 * All that swaps of this journal brought other accounts than their wallet: no chain knows of it. Each entry of the log is
 * read once.
 */
export function createSentOn({ db }: Pick<Store, 'db'>): () => Promise<readonly AccountBalance[]> {
  const sent = new Map<string, AccountBalance>()
  let last = 0
  return async () => {
    const entries = await db
      .selectFrom('event')
      .select(['seq', 'swap_id', 'facts'])
      .where('seq', '>', last)
      .where('type', '=', 'SETTLED')
      .orderBy('seq')
      .execute()
    const swaps = await swapsOf(db, entries)
    for (const { seq, swap_id, facts } of entries) {
      // Another question may have read it meanwhile.
      if (seq <= last) continue
      last = seq
      const swap = swaps.get(swap_id)
      const { received } = readFacts('moves', facts)
      if (swap === undefined || received === undefined) continue
      const { recipient, wallet, intent } = readPlan(swap.plan)
      if (sameAddress(recipient, wallet)) continue
      const { buy: token } = intent
      const name = `${recipient} ${token.address}`.toLowerCase()
      const wei = (sent.get(name)?.held.wei ?? 0n) + BigInt(received)
      sent.set(name, { account: recipient, held: { token, wei } })
    }
    return [...sent.values()]
  }
}
