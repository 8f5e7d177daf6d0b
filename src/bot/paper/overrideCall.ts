import type { Hex } from '../../chain/calls/fields.ts'
import type { RpcCall } from '../../chain/rpc/rpc.ts'

/** What an account is to look like for the length of one call. */
export type AccountOverride = {
  readonly balance?: Hex
  readonly stateDiff?: Readonly<Record<Hex, Hex>>
}

/** By address in lower case. */
export type Overrides = Readonly<Record<string, AccountOverride>>

type Json = Readonly<Record<string, unknown>>

/**
 * The same question about a chain on which some accounts look otherwise. What the call itself overrides stays; whatever
 * does not depend on state is asked as it is.
 */
export function overrideCall<result>(call: RpcCall<result>, overrides: Overrides): RpcCall<result> {
  const { params } = call
  switch (call.method) {
    case 'eth_call': {
      const [transaction, block, own, ...rest] = params
      return { ...call, params: [transaction, block, merged(overrides, own), ...rest] }
    }
    case 'eth_simulateV1': {
      const [simulation, ...rest] = params as [Json, ...unknown[]]
      const [first, ...more] = simulation.blockStateCalls as readonly Json[]
      const bent = { ...first, stateOverrides: merged(overrides, first?.stateOverrides) }
      return { ...call, params: [{ ...simulation, blockStateCalls: [bent, ...more] }, ...rest] }
    }
    case 'debug_traceCall': {
      const [transaction, block, tracer, ...rest] = params as [unknown, unknown, Json, ...unknown[]]
      const bent = { ...tracer, stateOverrides: merged(overrides, tracer.stateOverrides) }
      return { ...call, params: [transaction, block, bent, ...rest] }
    }
    default:
      return call
  }
}

function merged(ours: Overrides, theirs: unknown): Json {
  const result: Record<string, Json> = { ...ours }
  for (const [account, own] of Object.entries((theirs ?? {}) as Record<string, Json>)) {
    const name = account.toLowerCase()
    const known: AccountOverride = ours[name] ?? {}
    const slots = { ...known.stateDiff, ...(own.stateDiff as Json | undefined) }
    result[name] = {
      ...known,
      ...own,
      ...(Object.keys(slots).length === 0 ? {} : { stateDiff: slots }),
    }
  }
  return result
}
