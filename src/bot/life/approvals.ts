import { encodeFunctionData } from 'viem'
import { erc20Abi } from '../../chain/abi/contracts.ts'
import { gasOfApproval } from '../../chain/fees.ts'
import { ballastError } from '../../core/errors.ts'
import type { Liability } from '../journal/wallet/allowances.ts'
import type { Funded, Planned, Transaction } from '../stages.ts'
import { requote } from '../swap.ts'
import { finishApprovals } from './follow.ts'
import { assertNonce, type Drivetrain, throwIfStopped } from './train.ts'

/**
 * Makes the allowance exactly what the swap needs. Each approval is a journaled transaction of its own.
 *
 * The whole swap is examined first, approvals included: nothing is signed for one that would be refused anyway.
 */
export async function arrangeAllowance(
  { planned, unfunded }: { planned: Planned; unfunded: Funded },
  train: Drivetrain,
  signal?: AbortSignal,
): Promise<Funded> {
  const { reading } = train
  if (unfunded.approvals.length === 0) return unfunded
  await requote(unfunded, reading)

  await sendApprovals(unfunded, train, signal)
  return approvedBy(async () => reading.fund(planned), { train, signal })
}

/** Looks at a node that lags behind the one that showed the approvals mined. */
const looksMax = 10

/** What the swap is funded by once its approvals are mined. A node that does not know them yet is read again. */
export async function approvedBy<funded extends Funded | undefined>(
  look: () => Promise<funded>,
  { train: { clock, pollMs }, signal }: { train: Drivetrain; signal: AbortSignal | undefined },
): Promise<funded> {
  for (let looks = 1; ; looks += 1) {
    const funded = await look()
    if (funded === undefined || funded.approvals.length === 0) return funded
    if (looks === looksMax) throw withoutEffect(funded)
    await clock.sleep(pollMs, signal).catch((error: unknown) => {
      throwIfStopped(signal)
      throw error
    })
  }
}

/** Signs, stores and sends each of the approvals, and waits for its end. */
export async function sendApprovals(
  unfunded: Funded,
  train: Drivetrain,
  signal?: AbortSignal,
): Promise<void> {
  const { journal, signer, chainId } = train
  for (const call of unfunded.approvals) {
    const { nonce, ...fees } = await train.fees(await train.gasOf(call, gasOfApproval))
    await assertNonce({ wallet: unfunded.wallet, nonce }, train)
    const transaction: Transaction = { ...call, ...fees, nonce, chainId }
    const { swapId } = unfunded
    await journal.locks.guard('sign', { swapId })
    const signed = await signer.sign({ swapId, kind: 'APPROVE', transaction })
    train.inspect.approval(signed, unfunded)
    throwIfStopped(signal)
    await journal.attempts.commitApproval(signed)
    await finishApprovals(swapId, train, signal)
  }
}

const withoutEffect = ({ intent }: Funded) =>
  ballastError(
    'APPROVAL_WITHOUT_EFFECT',
    'The approvals were mined, but the allowance is not what they set.',
    { token: intent.sell.token.symbol },
  )

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
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, 0n] })
  const call = { to: token, data, value: 0n }
  const { nonce, ...fees } = await train.fees(await train.gasOf(call, gasOfApproval))
  await assertNonce({ wallet: signer.address, nonce }, train)
  await journal.locks.guard('revoke', { swapId })
  const signed = await signer.sign({
    swapId,
    kind: 'APPROVE',
    transaction: { ...call, ...fees, nonce, chainId },
  })
  const { plan } = await journal.swaps.load(swapId)
  train.inspect.approval(signed, plan)
  await journal.attempts.commitApproval(signed)
  await finishApprovals(swapId, train, signal)
}
