import type { Drivetrain } from './drivetrain.ts'
import type { Journaled } from './stages.ts'

/** Offers journaled bytes to the network and notes what it said. */
export async function send(
  bytes: Journaled,
  { train, block }: { train: Drivetrain; block: number },
): Promise<void> {
  const { verdict, words } = await train.broadcast(bytes)
  const { hash, swapId } = bytes
  await train.journal.noteSent({ hash, swapId, block, accepted: verdict === 'accepted', words })
}
