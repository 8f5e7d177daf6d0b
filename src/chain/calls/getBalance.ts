import type { Address } from '../../core/token.ts'
import type { RpcCall } from '../rpc/rpc.ts'
import { type BlockId, blockParameter, quantity } from './fields.ts'

/** `eth_getBalance` in wei of the chain's own currency. */
export function getBalance(account: Address, block: BlockId = 'latest'): RpcCall<bigint> {
  return {
    method: 'eth_getBalance',
    params: [account, blockParameter(block)],
    parse: (answer) => quantity.parse(answer),
  }
}
