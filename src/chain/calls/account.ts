import type { Address } from '../../core/token.ts'
import type { RpcCall } from '../rpc/rpc.ts'
import { type BlockId, blockParameter, bytes, type Hex, quantity, smallQuantity } from './fields.ts'

/** `eth_getBalance` in wei of the chain's own currency. */
export function getBalance(account: Address, block: BlockId = 'latest'): RpcCall<bigint> {
  return {
    method: 'eth_getBalance',
    params: [account, blockParameter(block)],
    parse: (answer) => quantity.parse(answer),
  }
}

/** `eth_getCode`: `0x` where there is no contract. */
export function getCode(account: Address, block: BlockId = 'latest'): RpcCall<Hex> {
  return {
    method: 'eth_getCode',
    params: [account, blockParameter(block)],
    parse: (answer) => bytes.parse(answer),
  }
}

/** `eth_getTransactionCount`: the nonce the chain expects next from this account at that block. */
export function getTransactionCount(account: Address, block: BlockId = 'latest'): RpcCall<number> {
  return {
    method: 'eth_getTransactionCount',
    params: [account, blockParameter(block)],
    parse: (answer) => smallQuantity.parse(answer),
  }
}
