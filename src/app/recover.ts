import { lockedError } from '../bot/journal/locks/guard.ts'
import type { Swap } from '../bot/journal/swaps/load.ts'
import { resume } from '../bot/life/drive.ts'
import type { Drivetrain } from '../bot/life/train.ts'
import { getCode, getTransactionCount } from '../chain/calls/account.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import type { Config } from '../config/config.ts'
import { BallastError, ballastError } from '../core/errors.ts'
import { type Address, sameAddress } from '../core/token.ts'
import type { OpenMarket } from '../engine/market.ts'
import { readAllowances } from './allowancesOnChain.ts'
import { caughtUpHead } from './chainNonce.ts'
import { type Reconciling, reconcileRecent } from './reconcileWallet.ts'
import { tracesOfBot } from './tracesOfBot.ts'

/** The codes resuming may meet without ending the start: a halt, or the wish to stop. */
const stops = ['LOCKED', 'INTERRUPTED']

/**
 * Decides everything an earlier process left open, before anything new is planned. There is no other recovery:
 * a clean start is one with nothing to decide. Then the wallet and its books are compared with the chain. Under a halt
 * each swap is looked at once, nothing is signed or sent, and the start ends with LOCKED.
 */
export async function recover({
  config,
  market,
  train,
  signal,
  onResumed,
  warn,
}: {
  config: Config
  market: OpenMarket
  train: Drivetrain
  signal: AbortSignal
  onResumed: (swapId: string) => Promise<void>
  /** Receives what the nodes cannot tell, and each result that the comparison with the chain left unknown. */
  warn: (line: string) => void
}): Promise<void> {
  // First: what is open would be followed without an end, and without a word on why.
  for (const line of market.shallow ?? []) warn(line)
  const { journal } = train
  const wallet = config.wallet.address
  const halt = await journal.locks.guard('send', { wallet }).then(() => undefined, caught)
  for (const swapId of await journal.swaps.open()) {
    if (signal.aborted) break
    assertOurs(await journal.swaps.load(swapId), config)
    try {
      await resume(swapId, train, halt === undefined ? signal : AbortSignal.abort())
    } catch (error) {
      if (!(error instanceof BallastError) || !stops.includes(error.code)) throw error
      if (halt !== undefined) continue
      // A request to stop came while an approval is under way: the next start goes on with it.
      if (error.code === 'INTERRUPTED') return
      throw error
    }
    await onResumed(swapId)
  }
  if (halt !== undefined) throw halt
  if (signal.aborted) return
  const { rpc } = market
  const state = await journal.wallet.state({ chainId: config.chain.chainId, wallet })
  for (const line of await examineWallet(rpc, { wallet, nextNonce: state?.nextNonce })) warn(line)
  for (const line of await reconcileAtStart({ config, rpc, journal, clock: train.clock }))
    warn(line)
  for (const line of await leftByOthers({ config, rpc, journal })) warn(line)
}

/** What other wallets of the journal left within reach of a spender, as before a new key, and that stands on the chain. */
async function leftByOthers({
  config: { chain, wallet },
  rpc,
  journal,
}: Pick<Reconciling, 'config' | 'rpc' | 'journal'>): Promise<readonly string[]> {
  const owner = { chainId: chain.chainId, wallet: wallet.address }
  const left = Map.groupBy(await journal.allowances.ofOtherWallets(owner), (one) => one.wallet)
  const lines: string[] = []
  for (const [other, pairs] of left) {
    const { standing, unread } = await readAllowances(rpc, {
      wallet: other,
      block: 'latest',
      pairs,
    })
    for (const { token, spender } of [...standing, ...unread])
      lines.push(
        `${spender} may still take the token ${token} from ${other}, another wallet of this journal: configure it with its key, then: ballast revoke --live`,
      )
  }
  return lines
}

/**
 * A configuration with another wallet has another key: it can neither outbid nor close a swap this one signed. The nodes of
 * another chain show every swap of this one as dead.
 */
export function assertOurs({ plan }: Swap, config: Pick<Config, 'wallet' | 'chain'>): void {
  const wallet = config.wallet.address
  const { chainId } = plan.intent.sell.token
  if (chainId !== config.chain.chainId)
    throw ballastError('OTHER_CHAIN', 'The journal has an undecided swap of another chain.', {
      swapId: plan.swapId,
      chainOfSwap: chainId,
      chainId: config.chain.chainId,
      next: 'configure that chain and start once: it follows the swap to its end',
    })
  if (sameAddress(plan.wallet, wallet)) return
  throw ballastError('OTHER_WALLET', 'The journal has an undecided swap of another wallet.', {
    swapId: plan.swapId,
    walletOfSwap: plan.wallet,
    wallet,
    next: 'configure that wallet and start once: it follows the swap to its end',
  })
}

function caught(error: unknown): BallastError {
  if (error instanceof BallastError && error.code === 'LOCKED') return error
  throw error
}

/**
 * Takes the wallet into the journal, or holds it to its nonce, and compares its books with the chain. Throws where a
 * person has to look first.
 *
 * @returns the unknown results, a sentence each: they end nothing.
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
  // A reorganisation that took transactions back explains a lost nonce; otherwise the nonce is the plainer word.
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

/**
 * Refuses to begin anew where an older journal is missing.
 *
 * A journal that does not know its wallet, and a wallet that has sent transactions, are a first installation or a lost
 * journal. In the second case bytes may be under way, and the amounts spent of the limits are forgotten. Traces that
 * only a bot leaves behind separate the two: its allowances, and its swaps in recent blocks. Then the wallet is halted, and
 * a person begins anew with `ballast resume`. Where the node does not answer, nothing is taken for granted.
 */
async function assertNewWallet(
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
    reason: `the wallet has sent ${nonceOfChain} transactions and this journal is new, but ${traces.join(' and ')}: put the old journal back; or wait until every quote of it has expired, and book what the chain shows: ballast recover --reason "…", then ballast resume --reason "…". Resume alone forgets what was spent of today's limits`,
    expiresAt: undefined,
  })
  throw lockedError(lock)
}

/**
 * Looks for signs that another party acts for the wallet, once all of its own is decided. Throws NONCE_PENDING where a
 * transaction of it waits that is not ours: another installation, or another person, signs with the same key.
 *
 * `nextNonce` is the one the journal would give next; undefined for a wallet it does not know. The content of a pool is
 * a node's word and no proof: where it does not answer, nothing is concluded.
 *
 * @returns the facts a person should know, a sentence each.
 */
export async function examineWallet(
  rpc: Rpc,
  { wallet, nextNonce = 0 }: { wallet: Address; nextNonce: number | undefined },
): Promise<readonly string[]> {
  const [mined, pending, code] = await rpc.batch([
    getTransactionCount(wallet),
    getTransactionCount(wallet, 'pending'),
    getCode(wallet),
  ])
  // Below what the journal gives next waits what is ours: a node that lags has not seen it mined.
  if (mined.ok && pending.ok && pending.value > Math.max(mined.value, nextNonce))
    throw ballastError(
      'NONCE_PENDING',
      'A transaction of the wallet waits to be mined that is not ours.',
      {
        wallet,
        nonceOfChain: mined.value,
        nonceOfPool: pending.value,
        next: 'find out who signs with this key; start again once it is mined, and release what that start says',
      },
    )
  return code.ok && code.value !== '0x'
    ? [`the wallet has code (EIP-7702): whoever wrote it may move what it holds`]
    : []
}
