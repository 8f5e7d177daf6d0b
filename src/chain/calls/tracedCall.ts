import type { Address } from '../../core/token.ts'
import type { Hex } from './fields.ts'
import type { SimulatedCall } from './simulate.ts'

/** A call to trace on the latest block, on storage that may be bent for it. */
export type TracedCall = SimulatedCall & {
  readonly storage?: { readonly account: Address; readonly slot: Hex; readonly value: bigint }
}

/** The parameters of `debug_traceCall`. */
export function tracedCall(
  { from, to, data, value = 0n, gas, storage }: TracedCall,
  tracer: Readonly<Record<string, unknown>>,
): readonly unknown[] {
  const hex = (amount: bigint) => `0x${amount.toString(16)}`
  const stateOverrides = storage && {
    [storage.account]: {
      stateDiff: { [storage.slot]: `0x${storage.value.toString(16).padStart(64, '0')}` },
    },
  }
  return [
    { from, to, data, value: hex(value), gas: hex(gas) },
    'latest',
    { ...tracer, ...(stateOverrides === undefined ? {} : { stateOverrides }) },
  ]
}
