import { encodeFunctionData } from 'viem'
import { erc20Abi } from '../../chain/abi/erc20.ts'
import { gasOfApproval } from '../../chain/gasOfApproval.ts'
import { BallastError } from '../../core/errors.ts'
import { type Attempt, attemptsOf, offerOf } from '../journal/swaps/load.ts'
import type { Liability } from '../journal/wallet/allowances.ts'
import { bidsMax, isDue, isOutbid, type Observation } from '../next.ts'
import type { Funded, Planned, Transaction } from '../stages.ts'
import { requote } from '../swap.ts'
import { bump, send } from './bids.ts'
import { haltDisplaced } from './halts.ts'
import { assertNonce, type Drivetrain, throwIfStopped, tolerate } from './train.ts'

/**
 * Makes the allowance exactly what the swap needs. Each approval is a journaled transaction of its own.
 *
 * The whole swap is examined first, approvals included: nothing is signed for one that would be refused anyway.
 */
export async function arrangeAllowance(
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
    await journal.locks.guard('sign', { swapId })
    const signed = await signer.sign({ swapId, kind: 'APPROVE', transaction })
    train.inspect.approval(signed, planned)
    throwIfStopped(signal)
    await journal.attempts.commitApproval(signed)
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

/**
 * Sends what is open and waits until it is mined and deep. An approval has no deadline: it is offered until it is taken,
 * and outbid a few times where blocks ask for more.
 */
export async function finishApprovals(
  swapId: string,
  train: Drivetrain,
  signal?: AbortSignal,
): Promise<void> {
  for (;;) {
    const swap = await train.journal.swaps.load(swapId)
    const open = attemptsOf(swap, 'APPROVE').filter(({ closed }) => !closed)
    const newest = open.at(-1)
    if (newest === undefined) return
    const moved = await tolerate(swapId, train, () => moveApproval({ open, newest }, train))
    if (moved) continue
    // Offered or not, it is in the journal: the next start finishes it.
    throwIfStopped(signal)
    await train.clock.sleep(train.pollMs)
  }
}

/** Every bid for one nonce, and the newest of them. */
type OpenApproval = { readonly open: readonly Attempt[]; readonly newest: Attempt }

/** One look at an approval and what follows from it; says whether anything did. */
async function moveApproval({ open, newest }: OpenApproval, train: Drivetrain): Promise<boolean> {
  const seen = await observeBids(open, train)
  const { head, receipts } = seen
  const [mined] = receipts
  if (mined !== undefined) {
    if (head.number < mined.receipt.blockNumber + train.confirmations) return false
    await train.journal.attempts.closeApproval({ hash: mined.receipt.hash, receipt: mined.receipt })
    return true
  }
  if (isGone(newest, seen)) {
    // An approval has no authorisation to ask the router about, so its absence is looked at twice, a while apart, and
    // by the witness where there is one.
    await train.clock.sleep(10 * train.pollMs)
    const again = [await observeBids(open, train)]
    const { witness } = train
    if (witness !== undefined) again.push(await observeBids(open, { ...train, observe: witness }))
    if (again.every((look) => isGone(newest, look))) {
      await train.journal.attempts.abandonApproval({ hash: newest.bytes.hash })
      await haltDisplaced(newest.bytes.wallet, train)
    }
  }
  const offer = offerOf(open, 'APPROVE')
  const outbid = offer !== undefined && offer.bids < bidsMax && isOutbid(offer, head)
  if (outbid && (await bump(newest.bytes, { train }))) return true
  if (!isDue(offer, head.number)) return false
  await send(newest.bytes, { train, block: head.number })
  return true
}

const observeBids = (open: readonly Attempt[], train: Drivetrain) =>
  train.observe({
    wallet: train.signer.address,
    authorization: undefined,
    attempts: open.map(({ bytes: { hash } }) => ({ kind: 'APPROVE' as const, hash })),
  })

/** Whether the chain, deep down, has given its nonce to another transaction. */
const isGone = (
  { bytes }: Attempt,
  { deepNonce, receipts, unsettled }: Observation<'APPROVE'>,
): boolean =>
  receipts.length === 0 &&
  !unsettled &&
  deepNonce !== undefined &&
  deepNonce > bytes.transaction.nonce

/**
 * Takes back an allowance that a swap left behind: an approval of nothing, stored like any other before it is sent, in the
 * name of the swap that left it.
 */
export async function revoke(
  { token, spender, swapId }: Liability,
  train: Drivetrain,
  signal?: AbortSignal,
): Promise<void> {
  const { journal, signer, chainId } = train
  const { nonce, ...fees } = await train.fees(gasOfApproval)
  await assertNonce({ wallet: signer.address, nonce }, train)
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, 0n] })
  await journal.locks.guard('sign', { swapId })
  const signed = await signer.sign({
    swapId,
    kind: 'APPROVE',
    transaction: { to: token, data, value: 0n, ...fees, nonce, chainId },
  })
  const { plan } = await journal.swaps.load(swapId)
  train.inspect.approval(signed, plan)
  await journal.attempts.commitApproval(signed)
  await finishApprovals(swapId, train, signal)
}
