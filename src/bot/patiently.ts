import { BallastError } from '../core/errors.ts'
import type { Drivetrain } from './drivetrain.ts'
import { isPassing } from './isPassing.ts'

/**
 * An endpoint that is away moves nothing and ends nothing; neither does a signer that refuses a cancellation, nor gas
 * that costs too much for one: signed bytes are followed until the chain has decided them.
 */
export async function patiently(
  swapId: string,
  train: Drivetrain,
  turn: () => Promise<boolean>,
): Promise<boolean> {
  try {
    return await turn()
  } catch (error) {
    if (!(error instanceof BallastError) || !isPassing(error)) throw error
    train.onTrouble(swapId, error)
    return false
  }
}
