import { decodeFunctionResult, encodeFunctionData } from 'viem'
import { z } from 'zod'
import type { Address } from '../../core/token.ts'
import { multicall3Abi } from '../abi/contracts.ts'
import type { RpcCall, RpcOutcome } from '../rpc/rpc.ts'
import { address, type BlockId, blockParameter, bytes, type Hex } from './fields.ts'

/** Where Multicall3 is on every chain that has it. */
export const multicall3Address: Address = '0xcA11bde05977b3631167028862bE2a173976CA11'

/** Keeps a call well below the gas and the bytes that nodes allow for one. */
const callsPerAggregateMax = 250

const aggregateGas = '0x1c9c380'

/** One `eth_call` in the place of many, and how to read their answers from its own. */
export type Aggregate = {
  readonly call: RpcCall<readonly Result[]>
  read(answer: RpcOutcome<unknown>): readonly RpcOutcome<unknown>[]
}

type Result = { readonly success: boolean; readonly returnData: Hex }

const target = z.object({ to: address, data: bytes })

/**
 * Packs `eth_call`s of one block into calls of Multicall3. For contracts of known code only: any of them could use up
 * the gas of all.
 */
export function aggregateCalls(
  calls: readonly RpcCall<unknown>[],
  block: BlockId,
): readonly Aggregate[] {
  const chunks = Array.from(
    { length: Math.ceil(calls.length / callsPerAggregateMax) },
    (_, index) => calls.slice(index * callsPerAggregateMax, (index + 1) * callsPerAggregateMax),
  )
  return chunks.map((chunk) => ({
    call: {
      method: 'eth_call',
      params: [
        { to: multicall3Address, data: encode(chunk), gas: aggregateGas },
        blockParameter(block),
      ],
      parse: (answer) =>
        decodeFunctionResult({
          abi: multicall3Abi,
          functionName: 'aggregate3',
          data: bytes.parse(answer),
        }),
    },
    read(answer) {
      if (!answer.ok) return chunk.map(() => answer)
      const results = answer.value as readonly Result[]
      return chunk.map((call, index) => readOne(call, results[index]))
    },
  }))
}

function encode(calls: readonly RpcCall<unknown>[]): Hex {
  const args = calls.map(({ params }) => {
    const { to, data } = target.parse(params[0])
    return { target: to, allowFailure: true, callData: data }
  })
  return encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [args] })
}

function readOne(call: RpcCall<unknown>, result: Result | undefined): RpcOutcome<unknown> {
  if (result?.success !== true)
    return { ok: false, error: new Error('a call within Multicall3 failed') }
  try {
    return { ok: true, value: call.parse(result.returnData) }
  } catch (error) {
    return { ok: false, error: error as Error }
  }
}
