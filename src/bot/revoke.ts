import { encodeFunctionData } from 'viem'
import { erc20Abi } from '../chain/abi/erc20.ts'
import { gasOfApproval } from '../chain/gasOfApproval.ts'
import { finishApprovals } from './arrange.ts'
import { assertNonce } from './assertNonce.ts'
import type { Drivetrain } from './drivetrain.ts'
import type { Liability } from './journal/wallet/allowances.ts'

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
  await journal.guard('sign', { swapId })
  const signed = await signer.sign({
    swapId,
    kind: 'APPROVE',
    transaction: { to: token, data, value: 0n, ...fees, nonce, chainId },
  })
  const { plan } = await journal.load(swapId)
  train.inspect.approval(signed, plan)
  await journal.commitApproval(signed)
  await finishApprovals(swapId, train, signal)
}
