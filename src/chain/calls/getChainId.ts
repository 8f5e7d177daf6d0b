import type { RpcCall } from '../rpc/rpc.ts'
import { smallQuantity } from './fields.ts'

/** `eth_chainId`. */
export const getChainId: RpcCall<number> = {
  method: 'eth_chainId',
  params: [],
  parse: (answer) => smallQuantity.parse(answer),
}
