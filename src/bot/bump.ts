import { feeWithRoom, outbid } from '../chain/fees.ts'
import { BallastError } from '../core/errors.ts'
import type { Drivetrain } from './drivetrain.ts'
import type { Journaled } from './stages.ts'

/**
 * Signs and stores the same call, under the same nonce, for a higher fee. Sending it is the next step.
 *
 * Says no, by false, where that cannot be had: it would cost more than policy allows, its replacement would not fit under
 * the ceiling, the signer refuses, or a lock stops signing. The bytes that are out there stay as good as they were.
 */
export async function bump(
  old: Journaled,
  { train, most = train.gasPriceMax }: { train: Drivetrain; most?: bigint | undefined },
): Promise<boolean> {
  const { swapId, kind, transaction, hash } = old
  try {
    const fresh = await train.fees(transaction.gas)
    const room = feeWithRoom(train.gasPriceMax)
    const fees = outbid(transaction, { fresh, most: most < room ? most : room })
    if (fees === undefined) return false
    await train.journal.guard('sign', { swapId })
    const signed = await train.signer.sign({
      swapId,
      kind,
      transaction: { ...transaction, ...fees },
    })
    train.inspect.bump(signed, old)
    await train.journal.commitBump(signed, hash)
    return true
  } catch (error) {
    if (!(error instanceof BallastError) || !isNo(error)) throw error
    train.onTrouble(swapId, error)
    return false
  }
}

/** A refusal, or a lock that lets what is signed go on. A halt is more than a no. */
const isNo = ({ fault, remedy }: BallastError) =>
  fault === 'refused' || (fault === 'locked' && remedy !== 'halt')
