import { BallastError } from '../core/errors.ts'
import { isTaken } from './broadcast/classify.ts'
import type { Drivetrain } from './drivetrain.ts'
import { haltShared } from './haltShared.ts'
import type { Journaled } from './stages.ts'
import type { Verdict } from './verdict.ts'

/** Long enough to see it pass or be asked again; short enough not to be forgotten. */
const passingMs = 10 * 60 * 1_000

/** Offers journaled bytes to the network and notes what it said. Throws LOCKED under a halt: signed bytes stay where they are. */
export async function send(
  bytes: Journaled,
  { train, block }: { train: Drivetrain; block: number },
): Promise<void> {
  const { hash, swapId } = bytes
  await train.journal.guard('send', { swapId })
  const { verdict, words } = await train.broadcast(bytes)
  const taken = isTaken(verdict)
  if (!taken)
    train.onTrouble(
      swapId,
      new BallastError('The network did not say that it took the transaction.', {
        code: 'BROADCAST_UNCLEAR',
        remedy: 'retry',
        fault: 'upstream',
        facts: { hash, verdict, words },
      }),
    )
  await train.journal.noteSent({ hash, swapId, block, verdict, taken, words })
  await lockOn(verdict, bytes, train)
}

/** What some refusals say of the wallet, beyond these bytes: nothing new begins on it until that has passed. */
async function lockOn(verdict: Verdict, bytes: Journaled, train: Drivetrain): Promise<void> {
  const { wallet, swapId, transaction } = bytes
  const scope = `wallet ${wallet.toLowerCase()}`
  const passing = (code: string, reason: string) =>
    train.journal.openLock({
      kind: 'breaker',
      scope,
      code,
      reason: `swap ${swapId}: ${reason}`,
      expiresAt: train.clock.now() + passingMs,
    })
  switch (verdict) {
    case 'insufficient-funds':
      await passing('GAS_MONEY_SHORT', 'the wallet cannot pay for the gas of what it signed')
      return
    case 'nonce-high':
      await passing(
        'NONCE_GAP',
        `the network knows no transaction before nonce ${transaction.nonce}`,
      )
      return
    case 'replacement-underpriced': {
      // With bids of our own it is one of those that waits. With one only, it is somebody else's.
      const { attempts } = await train.journal.load(swapId)
      const ours = attempts.filter((one) => one.bytes.transaction.nonce === transaction.nonce)
      if (ours.length === 1) await haltShared(wallet, train)
      return
    }
  }
}
