import { gasOfApproval } from '../chain/gasOfApproval.ts'
import { BallastError } from '../core/errors.ts'
import { assertNonce } from './assertNonce.ts'
import type { Drivetrain } from './drivetrain.ts'
import { haltDisplaced } from './haltDisplaced.ts'
import { type Attempt, attemptsOf } from './journal/load.ts'
import { patiently } from './patiently.ts'
import { send } from './send.ts'
import type { Funded, Planned, Transaction } from './stages.ts'
import { stopIfAsked } from './stopIfAsked.ts'
import { requote } from './swap.ts'

/**
 * Makes the allowance exactly what the swap needs. Each approval is a journaled transaction of its own.
 *
 * The whole swap is examined first, approvals included: nothing is signed for one that would be refused anyway.
 */
export async function arrange(
  planned: Planned,
  train: Drivetrain,
  signal?: AbortSignal,
): Promise<Funded> {
  const { reading, journal, signer, chainId } = train
  const unfunded = await reading.fund(planned)
  if (unfunded.approvals.length === 0) return unfunded
  await requote(unfunded, reading)

  for (const call of unfunded.approvals) {
    const { nonce, ...fees } = await train.fees(gasOfApproval)
    await assertNonce({ wallet: planned.wallet, nonce }, train)
    const transaction: Transaction = { ...call, ...fees, nonce, chainId }
    const { swapId } = planned
    await journal.guard('sign', { swapId })
    const signed = await signer.sign({ swapId, kind: 'APPROVE', transaction })
    train.inspect.approval(signed, planned)
    stopIfAsked(signal)
    await journal.commitApproval(signed)
    await finishApprovals(swapId, train, signal)
  }
  const funded = await reading.fund(planned)
  if (funded.approvals.length > 0)
    throw new BallastError('The approvals were mined, but the allowance is not what they set.', {
      code: 'APPROVAL_WITHOUT_EFFECT',
      remedy: 'halt',
      fault: 'refused',
      facts: { token: planned.intent.sell.token.symbol },
    })
  return funded
}

/** Sends what is open and waits until it is mined and deep. An approval has no deadline: it is offered until it is taken. */
export async function finishApprovals(
  swapId: string,
  train: Drivetrain,
  signal?: AbortSignal,
): Promise<void> {
  for (;;) {
    const swap = await train.journal.load(swapId)
    const open = attemptsOf(swap, 'APPROVE').find(({ closed }) => !closed)
    if (open === undefined) return
    const moved = await patiently(swapId, train, async () => {
      const { wallet, hash } = open.bytes
      const { head, deepNonce, receipts, unsettled } = await train.observe({
        wallet,
        authorization: undefined,
        attempts: [{ kind: 'APPROVE', hash }],
      })
      const [mined] = receipts
      if (mined === undefined) {
        const { nonce } = open.bytes.transaction
        if (
          !unsettled &&
          deepNonce !== undefined &&
          deepNonce > nonce &&
          (await confirmedGone(open, train))
        ) {
          await train.journal.abandonApproval({ hash })
          await haltDisplaced(wallet, train)
        }
        const due = open.sentAtBlock === undefined || head.number >= open.sentAtBlock + 3
        if (due) await send(open.bytes, { train, block: head.number })
        return due
      }
      if (head.number < mined.receipt.blockNumber + train.confirmations) return false
      await train.journal.closeApproval({ hash: open.bytes.hash, receipt: mined.receipt })
      return true
    })
    if (moved) continue
    // Offered or not, it is in the journal: the next start finishes it.
    stopIfAsked(signal)
    await train.clock.sleep(train.pollMs)
  }
}

/** An approval has no authorisation to ask the router about, so its absence is looked at twice, a while apart. */
async function confirmedGone({ bytes }: Attempt, train: Drivetrain): Promise<boolean> {
  await train.clock.sleep(10 * train.pollMs)
  const { wallet, hash, transaction } = bytes
  const { deepNonce, receipts, unsettled } = await train.observe({
    wallet,
    authorization: undefined,
    attempts: [{ kind: 'APPROVE', hash }],
  })
  return (
    receipts.length === 0 && !unsettled && deepNonce !== undefined && deepNonce > transaction.nonce
  )
}
