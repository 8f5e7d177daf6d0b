import { z } from 'zod'
import type { RpcCall } from '../rpc/rpc.ts'
import { address, hash } from './fields.ts'
import type { SlotsOf } from './slotsOf.ts'
import { type TracedCall, tracedCall } from './tracedCall.ts'

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
