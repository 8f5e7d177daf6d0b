import type { Swap } from '../../bot/journal/swaps/load.ts'
import { resume } from '../../bot/life/drive.ts'
import type { Drivetrain } from '../../bot/life/train.ts'
import type { Config } from '../../config/config.ts'
import { BallastError } from '../../core/errors.ts'
import { type Address, sameAddress } from '../../core/token.ts'
import { examineWallet } from './examineWallet.ts'
import type { OpenMarket } from './openMarket.ts'
import { reconcileAtStart } from './reconcileAtStart.ts'

/** What resuming may meet without ending the start: a halt, or the wish to stop. */
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
  /** Told of what the comparison with the chain could not tell. */
  warn: (line: string) => void
}): Promise<void> {
  const { journal } = train
  const wallet = config.wallet.address
  const halt = await journal.locks.guard('send', { wallet }).then(() => undefined, caught)
  for (const swapId of await journal.swaps.open()) {
    if (signal.aborted) break
    assertOurs(await journal.swaps.load(swapId), wallet)
    try {
      await resume(swapId, train, halt === undefined ? signal : AbortSignal.abort())
    } catch (error) {
      if (!(error instanceof BallastError) || !stops.includes(error.code)) throw error
      if (halt !== undefined) continue
      // Asked to stop while an approval is under way: the next start goes on with it.
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
}

/** Whoever configures another wallet has another key: it can neither outbid nor close what this one signed. */
function assertOurs({ plan }: Swap, wallet: Address): void {
  if (sameAddress(plan.wallet, wallet)) return
  throw new BallastError('The journal has an undecided swap of another wallet.', {
    code: 'OTHER_WALLET',
    remedy: 'halt',
    fault: 'locked',
    facts: {
      swapId: plan.swapId,
      walletOfSwap: plan.wallet,
      wallet,
      next: 'configure that wallet and start once: it follows the swap to its end',
    },
  })
}

function caught(error: unknown): BallastError {
  if (error instanceof BallastError && error.code === 'LOCKED') return error
  throw error
}
