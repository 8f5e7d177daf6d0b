import type { Address } from '../../core/token.ts'
import type { RpcCall } from '../rpc/rpc.ts'
import { type BlockId, blockParameter, bytes, type Hex } from './fields.ts'

/** `eth_getCode`: `0x` where there is no contract. */
export function getCode(account: Address, block: BlockId = 'latest'): RpcCall<Hex> {
  return {
    method: 'eth_getCode',
    params: [account, blockParameter(block)],
    parse: (answer) => bytes.parse(answer),
  }
}
