import { BallastError } from '../core/errors.ts'
import { cancel } from './cancel.ts'
import type { Drivetrain } from './drivetrain.ts'
import { isPassing } from './isPassing.ts'
import { attemptsOf, type Swap } from './journal/swaps/load.ts'
import { isDue } from './next.ts'
import { send } from './send.ts'

/**
 * Signs a cancellation, the first or a dearer one, and says whether anything was done. Where a dearer one may not be, the
 * one that is signed is offered again in time: what a node refused it may take later.
 */
export async function cancelSwap(
  swap: Swap,
  { train, block }: { train: Drivetrain; block: number },
): Promise<boolean> {
  try {
    await cancel(swap, train)
    return true
  } catch (error) {
    const newest = attemptsOf(swap, 'CANCEL').at(-1)
    if (newest === undefined || !(error instanceof BallastError) || !isPassing(error)) throw error
    train.onTrouble(swap.plan.swapId, error)
    if (!isDue(swap.offer, block)) return false
    await send(newest.bytes, { train, block })
    return true
  }
}
