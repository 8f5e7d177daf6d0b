import type { Address } from '../../core/token.ts'
import type { RpcCall } from '../rpc/rpc.ts'
import { bytes, type Hex } from './fields.ts'

/** `eth_call` in the name of an account: what a transaction of it would return. One that reverts is refused by the node. */
export function callAs(
  from: Address,
  { to, data, gas }: { readonly to: Address; readonly data: Hex; readonly gas: bigint },
): RpcCall<Hex> {
  return {
    method: 'eth_call',
    params: [{ from, to, data, gas: `0x${gas.toString(16)}` }, 'latest'],
    parse: (answer) => bytes.parse(answer),
  }
}
