import { z } from 'zod'
import type { Address } from '../../core/token.ts'
import type { RpcCall } from '../rpc/rpc.ts'
import { bytes, type Hex, quantity, smallQuantity } from './fields.ts'

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

/** What to play through on top of a block: calls that see each other's effects. */
export type Scenario = {
  readonly calls: readonly SimulatedCall[]
  /** Code put at an address for this simulation only. */
  readonly code?: Readonly<Record<Address, Hex>>
  /** Unix seconds the simulated block claims. */
  readonly timestamp?: number
}

const simulated = z
  .array(
    z.looseObject({
      number: smallQuantity,
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
export function simulate({
  calls,
  code = {},
  timestamp,
}: Scenario): RpcCall<readonly SimulationResult[]> {
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
      const results = simulated.parse(answer)[0]?.calls ?? []
      if (results.length !== calls.length)
        throw new Error(`simulated ${calls.length} calls, answered ${results.length}`)
      return results.map(({ status, returnData, gasUsed }) => ({
        success: status === '0x1',
        data: returnData,
        gasUsed,
      }))
    },
  }
}
