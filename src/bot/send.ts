import { BallastError } from '../core/errors.ts'
import { isTaken } from './broadcast/isTaken.ts'
import type { Drivetrain } from './drivetrain.ts'
import type { Journaled } from './stages.ts'

/** Offers journaled bytes to the network and notes what it said. Throws LOCKED under a halt: signed bytes stay where they are. */
export async function send(
  bytes: Journaled,
  { train, block }: { train: Drivetrain; block: number },
): Promise<void> {
  const { hash, swapId } = bytes
  await train.journal.guard('send', { swapId })
  const { verdict, words } = await train.broadcast(bytes)
  const accepted = isTaken(verdict)
  if (!accepted)
    train.onTrouble(
      swapId,
      new BallastError('The network did not say that it took the transaction.', {
        code: 'BROADCAST_UNCLEAR',
        remedy: 'retry',
        fault: 'upstream',
        facts: { hash, verdict, words },
      }),
    )
  await train.journal.noteSent({ hash, swapId, block, accepted, words })
}
