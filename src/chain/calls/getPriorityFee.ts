import type { RpcCall } from '../rpc/rpc.ts'
import { quantity } from './fields.ts'

/** `eth_maxPriorityFeePerGas`: the tip the endpoint suggests, in wei per gas. A claim: policy caps it. */
export const getPriorityFee: RpcCall<bigint> = {
  method: 'eth_maxPriorityFeePerGas',
  params: [],
  parse: (answer) => quantity.parse(answer),
}
