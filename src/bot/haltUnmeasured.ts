import { BallastError } from '../core/errors.ts'
import type { Drivetrain } from './drivetrain.ts'
import type { Swap } from './journal/swaps/load.ts'

/**
 * A mined swap whose amounts cannot be told stays undecided: the wallet is locked, once, until a person has looked.
 * Every later start tries again, and says LOCKED where it still cannot.
 */
export async function haltUnmeasured(
  error: unknown,
  { plan: { swapId, wallet } }: Swap,
  { journal }: Drivetrain,
): Promise<never> {
  if (!(error instanceof BallastError) || error.remedy !== 'halt') throw error
  const { fresh } = await journal.openLock({
    kind: 'halt',
    scope: `wallet ${wallet.toLowerCase()}`,
    code: error.code,
    reason: `swap ${swapId}: ${error.summary}`,
    expiresAt: undefined,
  })
  if (!fresh) await journal.guard('send', { swapId })
  throw error
}
