import {
  type Abi,
  type ContractFunctionName,
  type EncodeFunctionDataParameters,
  encodeFunctionData,
  prepareEncodeFunctionData,
} from 'viem'
import type { Hex } from './fields.ts'

/** Selectors by ABI and name of the function: viem hashes the signature at every call. */
const prepared = new WeakMap<Abi, Map<string, object>>()

/** The data of a call, as viem's `encodeFunctionData` makes it. For functions without overloads. */
export function encodeCall<
  const abi extends Abi,
  name extends ContractFunctionName<abi> | undefined = undefined,
>(call: EncodeFunctionDataParameters<abi, name>): Hex {
  const { abi, functionName, args } = call as {
    abi: Abi
    functionName: string
    args?: readonly unknown[]
  }
  const ofAbi = prepared.get(abi) ?? new Map<string, object>()
  prepared.set(abi, ofAbi)
  const known = ofAbi.get(functionName) ?? prepareEncodeFunctionData({ abi, functionName })
  ofAbi.set(functionName, known)
  return encodeFunctionData({ ...known, args } as never)
}
