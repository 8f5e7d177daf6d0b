import { lockedError } from '../../bot/journal/locks/guard.ts'
import { getTransactionCount } from '../../chain/calls/getTransactionCount.ts'
import { BallastError } from '../../core/errors.ts'
import { assertNewWallet } from './assertNewWallet.ts'
import { caughtUpHead } from './caughtUpHead.ts'
import { type Reconciling, reconcileRecent } from './reconcileWallet.ts'

/**
 * Takes the wallet into the journal, or holds it to its nonce, and compares its books with the chain. Throws where
 * somebody has to look first.
 *
 * @returns what could not be told, a sentence each: that ends nothing.
 */
export async function reconcileAtStart(reconciling: Reconciling): Promise<readonly string[]> {
  const { config, rpc, journal } = reconciling
  const { chainId } = config.chain
  const wallet = config.wallet.address
  const head = await caughtUpHead(reconciling)
  const nonceOfChain = await rpc.request(getTransactionCount(wallet, head))
  await assertNewWallet(reconciling, nonceOfChain)
  const refusal = await journal.wallet
    .adopt({ chainId, wallet, nonceOfChain })
    .then(() => undefined, refused)
  const { checks, locks } = await reconcileRecent(reconciling, {
    // The whole log is looked through daily: a start must not take longer the longer the bot has lived.
    logDefects: journal.books.recentLogDefects,
  })
  const [first] = locks
  // What a reorganisation took back explains a nonce that is lost; otherwise the nonce is the plainer word.
  if (refusal !== undefined && first?.code !== 'REORG_BEYOND_DEPTH') throw refusal
  if (first !== undefined) throw lockedError(first)
  return checks.flatMap(({ id, unknown, breaks }) => [
    ...unknown.map((why) => `${id} unknown: ${why}`),
    ...breaks.map(({ key, code, next }) => `${key}: ${code}; ${next}`),
  ])
}

function refused(error: unknown): BallastError {
  if (error instanceof BallastError && error.fault === 'locked') return error
  throw error
}
