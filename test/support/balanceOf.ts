import { erc20Abi } from '../../src/chain/abi/contracts.ts'
import { getBalance } from '../../src/chain/calls/account.ts'
import { readContract } from '../../src/chain/calls/readContract.ts'
import type { Rpc } from '../../src/chain/rpc/rpc.ts'
import { type Address, isNative } from '../../src/core/token.ts'

/** Balance of an ERC-20, or of the native currency at its sentinel address. */
export function balanceOf(rpc: Rpc, token: Address, owner: Address): Promise<bigint> {
  if (isNative({ address: token })) return rpc.request(getBalance(owner))
  return rpc.request(
    readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [owner] }),
  )
}
