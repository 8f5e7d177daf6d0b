import { lockedError } from '../../bot/journal/locks/guard.ts'
import type { Reconciling } from './reconcileWallet.ts'
import { tracesOfBot } from './tracesOfBot.ts'

/**
 * Refuses to begin anew where an older journal is missing.
 *
 * A journal that does not know its wallet, and a wallet that has sent transactions, are a first installation or a lost
 * journal. In the second case bytes may be under way, and what was spent of the limits is forgotten. They are told
 * apart by what only a bot leaves behind: allowances of the router, and its swaps in recent blocks. Then the wallet is
 * halted, and a person begins anew with `ballast resume`. Where the node does not tell, nothing is taken for granted.
 */
export async function assertNewWallet(
  { config, rpc, journal }: Pick<Reconciling, 'config' | 'rpc' | 'journal'>,
  nonceOfChain: number,
): Promise<void> {
  const { chain, wallet } = config
  if (nonceOfChain === 0) return
  const scope = { chainId: chain.chainId, wallet: wallet.address, since: 0 }
  const { nextNonce, releases } = await journal.books.adoption(scope)
  if (nextNonce !== undefined || releases.length > 0) return
  const traces = await tracesOfBot(config, rpc)
  if (traces.length === 0) return
  const { lock } = await journal.locks.open({
    kind: 'halt',
    scope: `wallet ${wallet.address.toLowerCase()}`,
    code: 'JOURNAL_MISSING',
    reason: `the wallet has sent ${nonceOfChain} transactions and this journal is new, but ${traces.join(' and ')}: put the old journal back; or wait until every quote of it has expired, and begin anew: ballast resume --reason "…", which forgets what was spent of today's limits`,
    expiresAt: undefined,
  })
  throw lockedError(lock)
}
