import type { Address } from '../../core/token.ts'
import type { Hex } from './fields.ts'
import type { SimulatedCall } from './simulate.ts'

/** A call to trace on the latest block, on storage that may be bent for it. */
export type TracedCall = SimulatedCall & {
  readonly storage?: { readonly account: Address; readonly slot: Hex; readonly value: bigint }
  /**
   * Wei per gas, paid from money the caller is given for it. Without one a contract could tell a trace from a
   * transaction by its gas price of zero.
   */
  readonly gasPrice?: bigint
}

/** The parameters of `debug_traceCall`. */
export function tracedCall(
  { from, to, data, value = 0n, gas, storage, gasPrice }: TracedCall,
  tracer: Readonly<Record<string, unknown>>,
): readonly unknown[] {
  const hex = (amount: bigint) => `0x${amount.toString(16)}`
  const stateOverrides = {
    ...(storage === undefined
      ? {}
      : {
          [storage.account]: {
            stateDiff: { [storage.slot]: `0x${storage.value.toString(16).padStart(64, '0')}` },
          },
        }),
    ...(gasPrice === undefined ? {} : { [from]: { balance: hex(value + gas * gasPrice) } }),
  }
  return [
    {
      from,
      to,
      data,
      value: hex(value),
      gas: hex(gas),
      ...(gasPrice === undefined ? {} : { gasPrice: hex(gasPrice) }),
    },
    'latest',
    { ...tracer, ...(Object.keys(stateOverrides).length === 0 ? {} : { stateOverrides }) },
  ]
}
