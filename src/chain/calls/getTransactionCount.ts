import type { Address } from '../../core/token.ts'
import type { RpcCall } from '../rpc/rpc.ts'
import { type BlockId, blockParameter, smallQuantity } from './fields.ts'

/** `eth_getTransactionCount`: the nonce the chain expects next from this account at that block. */
export function getTransactionCount(account: Address, block: BlockId = 'latest'): RpcCall<number> {
  return {
    method: 'eth_getTransactionCount',
    params: [account, blockParameter(block)],
    parse: (answer) => smallQuantity.parse(answer),
  }
}
