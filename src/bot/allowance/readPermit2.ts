import { keccak256, toBytes } from 'viem'
import { erc20Abi } from '../../chain/abi/contracts.ts'
import { getCode } from '../../chain/calls/account.ts'
import { readContract } from '../../chain/calls/readContract.ts'
import { answeredIfAny, type Rpc } from '../../chain/rpc/rpc.ts'
import { isPermit2, nonceBit, permit2Abi, permit2Address } from '../../chain/settlement/permit2.ts'
import type { Planned } from '../stages.ts'

/**
 * A swap has one nonce in Permit2, of all there are: the hash of what names the swap. So no two swaps share one, and of the
 * permits that a swap's quotes have each, one can be used at most.
 */
const nonceOf = (swapId: string): bigint => BigInt(keccak256(toBytes(swapId)))

/**
 * What Permit2 may take of the token now, and the swap's nonce in it. Undefined where the chain has no Permit2, or other code
 * at its address, or the nonce was used: then nothing is signed for it and it is not approved.
 */
export async function readPermit2(rpc: Rpc, { swapId, wallet, intent }: Planned) {
  const { address, chainId } = intent.sell.token
  const nonce = nonceOf(swapId)
  const at = nonceBit(nonce)
  const [code, bits, allowed] = await rpc.batch([
    getCode(permit2Address),
    readContract({
      ...{ address: permit2Address, abi: permit2Abi, functionName: 'nonceBitmap' },
      args: [wallet, at.word],
    }),
    readContract({
      ...{ address, abi: erc20Abi, functionName: 'allowance' },
      args: [wallet, permit2Address],
    }),
  ])
  if (!isPermit2(answeredIfAny(code) ?? '0x', chainId)) return undefined
  const [word, allowance] = [answeredIfAny(bits), answeredIfAny(allowed)]
  if (word === undefined || (word & at.bit) !== 0n || allowance === undefined) return undefined
  return { nonce, word, allowance }
}
