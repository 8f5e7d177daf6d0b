import { z } from 'zod'
import type { Address } from '../../core/token.ts'
import type { RpcCall } from '../rpc/rpc.ts'
import { address, bytes, type Hex, hash, quantity } from './fields.ts'
import type { SimulatedCall } from './simulate.ts'

/** The changes that a call would leave in one account. Its balance is left out: probes prove balances. */
export type StorageChange = {
  /** Lower case. */
  readonly account: string
  readonly slots: readonly Hex[]
  readonly code: boolean
  /** By how much the nonce rose. */
  readonly nonces: number
}

const account = z.looseObject({
  nonce: z.int().optional(),
  code: bytes.optional(),
  storage: z.record(hash, hash).optional(),
})
const diff = z.strictObject({ pre: z.record(address, account), post: z.record(address, account) })
type Account = z.infer<typeof account>

/** `debug_traceCall` with `prestateTracer` in `diffMode`: everything the call would write. */
export function traceChanges(call: TracedCall): RpcCall<readonly StorageChange[]> {
  return {
    method: 'debug_traceCall',
    params: tracedCall(call, { tracer: 'prestateTracer', tracerConfig: { diffMode: true } }),
    parse(answer) {
      const { pre, post } = diff.parse(answer)
      const [before, after] = [lowered(pre), lowered(post)]
      return [...new Set([...before.keys(), ...after.keys()])].map((name) =>
        changeOf(name, before.get(name) ?? {}, after.get(name) ?? {}),
      )
    },
  }
}

/** Only what changed is in `after`, save what became nothing: a slot that was set to zero is in `before` alone. */
function changeOf(name: string, before: Account, after: Account): StorageChange {
  const slots = [
    ...new Set([...Object.keys(before.storage ?? {}), ...Object.keys(after.storage ?? {})]),
  ] as Hex[]
  const wordIn = (side: Account, slot: Hex) => BigInt(side.storage?.[slot] ?? 0)
  return {
    account: name,
    slots: slots.filter((slot) => wordIn(before, slot) !== wordIn(after, slot)),
    code: after.code !== undefined && after.code !== (before.code ?? '0x'),
    nonces: after.nonce === undefined ? 0 : after.nonce - (before.nonce ?? 0),
  }
}

const lowered = <side>(side: Readonly<Record<string, side>>) =>
  new Map(Object.entries(side).map(([name, value]) => [name.toLowerCase(), value]))

/**
 * `debug_traceTransaction` with `prestateTracer` in `diffMode`: the wei by which a mined transaction alone changed the
 * balance of each account, its gas included; by address in lower case.
 */
export const traceBalances = (transaction: Hex): RpcCall<ReadonlyMap<string, bigint>> => ({
  method: 'debug_traceTransaction',
  params: [transaction, { tracer: 'prestateTracer', tracerConfig: { diffMode: true } }],
  parse(answer) {
    const { pre, post } = balances.parse(answer)
    const [before, after] = [lowered(pre), lowered(post)]
    const names = new Set([...before.keys(), ...after.keys()])
    return new Map([...names].map((name) => [name, rise(before.get(name), after.get(name))]))
  },
})

const holding = z.record(address, z.looseObject({ balance: quantity.optional() }))
const balances = z.looseObject({ pre: holding, post: holding })
type Holding = { readonly balance?: bigint | undefined }

/** `after` has what changed; an account that is in `before` alone is gone, or keeps its balance. */
const rise = (before: Holding | undefined, after: Holding | undefined) =>
  (after?.balance ?? before?.balance ?? 0n) - (before?.balance ?? 0n)

const accounts = z.record(address, z.looseObject({ storage: z.record(hash, hash).optional() }))

/** `debug_traceCall` with `prestateTracer`: the storage a call reads, by contract in lower case. */
export function traceReads(call: TracedCall): RpcCall<SlotsOf> {
  return {
    method: 'debug_traceCall',
    params: tracedCall(call, { tracer: 'prestateTracer', tracerConfig: { disableCode: true } }),
    parse: (answer) =>
      new Map(
        Object.entries(accounts.parse(answer)).map(([account, { storage = {} }]) => [
          account.toLowerCase(),
          new Set(Object.keys(storage)),
        ]),
      ) as SlotsOf,
  }
}

type Frame = {
  readonly to?: string | undefined
  readonly calls?: readonly Frame[] | undefined
  readonly logs?: readonly { readonly topics: readonly string[] }[] | undefined
}

const frame: z.ZodType<Frame> = z.looseObject({
  to: address.optional(),
  logs: z.array(z.looseObject({ topics: z.array(hash) })).optional(),
  get calls() {
    return z.array(frame).optional()
  },
})

/**
 * `debug_traceCall` with `callTracer` and its logs: every account that a call reaches, and that a log of it names as a
 * party (an indexed address), in lower case, each once.
 */
export function traceParties(call: TracedCall): RpcCall<readonly Address[]> {
  return {
    method: 'debug_traceCall',
    params: tracedCall(call, { tracer: 'callTracer', tracerConfig: { withLog: true } }),
    parse: (answer) => [...new Set(partiesIn(frame.parse(answer)))],
  }
}

function partiesIn({ to, calls = [], logs = [] }: Frame): readonly Address[] {
  const named = logs.flatMap(({ topics }) =>
    topics.slice(1).flatMap((topic) => (/^0x0{24}/.test(topic) ? `0x${topic.slice(26)}` : [])),
  )
  const own = [...(to === undefined ? [] : [to]), ...named].map((one) => one.toLowerCase())
  return [...(own as Address[]), ...calls.flatMap(partiesIn)]
}

/** A call to trace on the latest block, on storage that may be bent for it. */
export type TracedCall = SimulatedCall & {
  readonly storage?: { readonly account: Address; readonly slot: Hex; readonly value: bigint }
  /**
   * Wei per gas, paid from money the caller is given for it. Without one a contract could recognise a trace by its gas
   * price of zero.
   */
  readonly gasPrice?: bigint
}

/** The parameters of `debug_traceCall`. */
function tracedCall(
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

/** Storage slots by contract, all in lower case. */
export type SlotsOf = ReadonlyMap<string, ReadonlySet<Hex>>
