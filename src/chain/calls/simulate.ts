import { z } from 'zod'
import type { Address } from '../../core/token.ts'
import type { RpcCall } from '../rpc/rpc.ts'
import { bytes, type Hex, hash, quantity, smallQuantity } from './fields.ts'

/** A call to play through. Gas is always given, so that a hostile contract is bounded. */
export type SimulatedCall = {
  readonly from: Address
  readonly to: Address
  readonly data: Hex
  readonly value?: bigint
  readonly gas: bigint
}

/** How one call ended. */
export type SimulationResult = {
  readonly success: boolean
  readonly data: Hex
  readonly gasUsed: bigint
}

/** The calls to play through on top of a block: they see each other's effects. */
export type Scenario = {
  readonly calls: readonly SimulatedCall[]
  /** Code put at an address for this simulation only. */
  readonly code?: Readonly<Record<Address, Hex>>
  /** Unix seconds the simulated block claims. */
  readonly timestamp?: number
}

/** The block a scenario was played on top of, as far as the node reports it. */
export type Base = {
  readonly number: number
  readonly hash: Hex | undefined
  readonly parentHash: Hex | undefined
}

/** How a scenario went: one result for each call. */
export type Played = { readonly base: Base; readonly results: readonly SimulationResult[] }

/** Lets a node play a scenario through, in the way that node has. */
export type Play = (scenario: Scenario) => RpcCall<Played>

const simulated = z
  .array(
    z.looseObject({
      number: smallQuantity,
      parentHash: hash,
      calls: z.array(
        z.looseObject({ status: z.enum(['0x0', '0x1']), returnData: bytes, gasUsed: quantity }),
      ),
    }),
  )
  .length(1)

/**
 * `eth_simulateV1` of one block on top of the latest one.
 *
 * Its `validation` and `traceTransfers` are not used: nodes differ in them (anvil reports transfers of reverted frames).
 * Results are read from explicit balance probes instead.
 */
export function simulate({ calls, code = {}, timestamp }: Scenario): RpcCall<Played> {
  const hex = (value: bigint) => `0x${value.toString(16)}`
  const block = {
    ...(timestamp === undefined ? {} : { blockOverrides: { time: hex(BigInt(timestamp)) } }),
    stateOverrides: Object.fromEntries(
      Object.entries(code).map(([address, bytecode]) => [address, { code: bytecode }]),
    ),
    calls: calls.map(({ from, to, data, value = 0n, gas }) => ({
      from,
      to,
      input: data,
      value: hex(value),
      gas: hex(gas),
    })),
  }
  return {
    method: 'eth_simulateV1',
    params: [{ blockStateCalls: [block] }, 'latest'],
    parse(answer) {
      const [block] = simulated.parse(answer)
      if (block?.calls.length !== calls.length)
        throw new Error(`simulated ${calls.length} calls, answered ${block?.calls.length}`)
      return {
        base: baseOf(block),
        results: block.calls.map(({ status, returnData, gasUsed }) => ({
          success: status === '0x1',
          data: returnData,
          gasUsed,
        })),
      }
    },
  }
}

/** A block of its own stands on its parent. Anvil names none, and plays within the number of its head. */
function baseOf({ number, parentHash }: { number: number; parentHash: Hex }): Base {
  return BigInt(parentHash) === 0n
    ? { number, hash: undefined, parentHash: undefined }
    : { number: number - 1, hash: parentHash, parentHash: undefined }
}
