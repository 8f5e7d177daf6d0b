import type { Address } from '../../core/token.ts'
import type { RpcCall } from '../rpc/rpc.ts'
import { quantity } from './fields.ts'

/** `eth_estimateGas` of a transfer of nothing to oneself. What an endpoint says here is a claim: bound it. */
export function estimateSelfTransfer(wallet: Address): RpcCall<bigint> {
  return {
    method: 'eth_estimateGas',
    params: [{ from: wallet, to: wallet, value: '0x0', data: '0x' }],
    parse: (answer) => quantity.parse(answer),
  }
}
