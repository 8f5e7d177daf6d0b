import { z } from 'zod'
import type { RpcCall } from '../rpc/rpc.ts'
import { address, bytes, type Hex, hash } from './fields.ts'
import { type TracedCall, tracedCall } from './tracedCall.ts'

/** What a call would leave changed in one account. Its balance is not told: probes prove balances. */
export type Change = {
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
export function traceChanges(call: TracedCall): RpcCall<readonly Change[]> {
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
function changeOf(name: string, before: Account, after: Account): Change {
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

const lowered = (side: Readonly<Record<string, Account>>) =>
  new Map(Object.entries(side).map(([name, value]) => [name.toLowerCase(), value]))
