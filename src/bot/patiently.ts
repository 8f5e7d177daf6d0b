import { BallastError } from '../core/errors.ts'
import type { Drivetrain } from './drivetrain.ts'

/** An endpoint that is away moves nothing and ends nothing. */
export async function patiently(
  swapId: string,
  train: Drivetrain,
  turn: () => Promise<boolean>,
): Promise<boolean> {
  try {
    return await turn()
  } catch (error) {
    if (!(error instanceof BallastError) || error.fault !== 'upstream') throw error
    train.onTrouble(swapId, error)
    return false
  }
}
