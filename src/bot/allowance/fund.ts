import { encodeFunctionData, keccak256 } from 'viem'
import { erc20Abi } from '../../chain/abi/erc20.ts'
import type { Hex } from '../../chain/calls/fields.ts'
import { getCode } from '../../chain/calls/getCode.ts'
import { readContract } from '../../chain/calls/readContract.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import { createChecklist } from '../../core/check.ts'
import { type Address, isNative } from '../../core/token.ts'
import { type Call, type Funded, type Planned, pass } from '../stages.ts'

/**
 * Finds the approvals this swap still needs: exactly the amount, to the pinned router only.
 *
 * An allowance that is there but differs is set to zero first, because tokens like USDT refuse to change one directly,
 * and a larger one left standing is money within reach of a contract.
 */
export function createFund({
  rpc,
  router,
  routerCodeHash,
}: {
  rpc: Rpc
  router: Address
  routerCodeHash: Hex
}) {
  return async function fund(planned: Planned): Promise<Funded> {
    const { token, wei } = planned.intent.sell
    if (isNative(token)) return pass<Funded>({ ...planned, approvals: [] })

    const [code, allowanceSeen] = await rpc.batch([
      getCode(router),
      readContract({
        address: token.address,
        abi: erc20Abi,
        functionName: 'allowance',
        args: [planned.wallet, router],
      }),
    ])
    if (!code.ok) throw code.error
    if (!allowanceSeen.ok) throw allowanceSeen.error
    // Before anything is approved: an approval of the wrong contract is a loss that no simulation of the swap prevents.
    const checks = createChecklist('fund', { remedy: 'halt' })
    checks.equal('router-code', routerCodeHash, keccak256(code.value))
    checks.conclude()
    const allowance = allowanceSeen.value
    const approve = (amount: bigint): Call => ({
      to: token.address,
      data: encodeFunctionData({
        abi: erc20Abi,
        functionName: 'approve',
        args: [router, amount],
      }),
      value: 0n,
    })
    const approvals =
      allowance === wei ? [] : allowance === 0n ? [approve(wei)] : [approve(0n), approve(wei)]
    return pass<Funded>({ ...planned, approvals })
  }
}
