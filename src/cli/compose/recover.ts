import { resume } from '../../bot/drive.ts'
import type { Drivetrain } from '../../bot/drivetrain.ts'
import { getTransactionCount } from '../../chain/calls/getTransactionCount.ts'
import type { Config } from '../../config/config.ts'
import { BallastError } from '../../core/errors.ts'
import type { OpenMarket } from './openMarket.ts'

/**
 * Decides everything an earlier process left open, before anything new is planned. There is no other recovery:
 * a clean start is one with nothing to decide.
 */
export async function recover({
  config,
  market,
  train,
  signal,
  onResumed,
}: {
  config: Config
  market: OpenMarket
  train: Drivetrain
  signal: AbortSignal
  onResumed: (swapId: string) => Promise<void>
}): Promise<void> {
  for (const swapId of await train.journal.openSwaps()) {
    if (signal.aborted) return
    try {
      await resume(swapId, train, signal)
    } catch (error) {
      // Asked to stop while an approval is under way: the next start goes on with it.
      if (error instanceof BallastError && error.code === 'INTERRUPTED') return
      throw error
    }
    await onResumed(swapId)
  }
  if (signal.aborted) return
  await train.journal.adoptWallet({
    chainId: config.chain.chainId,
    wallet: config.wallet.address,
    nonceOfChain: await market.rpc.request(getTransactionCount(config.wallet.address)),
  })
}
