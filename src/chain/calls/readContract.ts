import {
  type Abi,
  type ContractFunctionArgs,
  type ContractFunctionName,
  type ContractFunctionReturnType,
  decodeFunctionResult,
} from 'viem'
import type { Address } from '../../core/token.ts'
import type { RpcCall } from '../rpc/rpc.ts'
import { encodeCall } from './encodeCall.ts'
import { type BlockId, blockParameter, bytes, type Hex } from './fields.ts'

/** Gas given to a view call, so that a hostile token cannot make a node return megabytes. */
const viewGas = '0x4c4b40'

/** `eth_call` of one view function, typed by its ABI. */
export function readContract<
  const abi extends Abi,
  name extends ContractFunctionName<abi, 'view' | 'pure'>,
  const args extends ContractFunctionArgs<abi, 'view' | 'pure', name>,
>({
  address,
  abi,
  functionName,
  args,
  block = 'latest',
}: {
  address: Address
  abi: abi
  functionName: name
  args: args
  block?: BlockId
}): RpcCall<ContractFunctionReturnType<abi, 'view' | 'pure', name, args>> {
  const signature = { abi, functionName, args } as never
  return {
    method: 'eth_call',
    params: [{ to: address, data: encodeCall(signature), gas: viewGas }, blockParameter(block)],
    parse: (answer) =>
      decodeFunctionResult({ ...(signature as object), data: bytes.parse(answer) } as never),
  }
}

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
