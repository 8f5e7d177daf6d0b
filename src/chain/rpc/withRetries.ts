import { setTimeout as delay } from 'node:timers/promises'
import pRetry from 'p-retry'
import { BallastError } from '../../core/errors.ts'
import { mayPass, type Rpc, RpcGarbled, type RpcOutcome, RpcRefused } from './rpc.ts'

const broadcast = 'eth_sendRawTransaction'

/** A pause that an endpoint asks for is kept up to this: a day of it would be an outage of ours. */
const pauseMsMax = 5_000

/**
 * Repeats the request when the endpoint was silent, garbled, failed by itself or wants fewer calls. Reads only: a broadcast passes
 * through once, because a second attempt after an unknown outcome is a decision, not a retry. Of a batch, only the calls
 * that were refused so are sent again.
 */
export function withRetries(
  rpc: Rpc,
  {
    attempts = 3,
    sleep = delay,
  }: { attempts?: number; sleep?: (milliseconds: number) => Promise<unknown> } = {},
): Rpc {
  const options = {
    retries: attempts - 1,
    minTimeout: 100,
    maxTimeout: 1_000,
    randomize: true,
    shouldRetry: ({ error }: { error: Error }) =>
      error instanceof BallastError &&
      error.remedy === 'retry' &&
      (!(error instanceof RpcRefused) || mayPass(error)) &&
      !(error instanceof RpcGarbled && error.shape === 'empty'),
    onFailedAttempt: async ({ error, retriesLeft }: { error: Error; retriesLeft: number }) => {
      const pause = error instanceof RpcRefused ? (error.retryAfterMs ?? 0) : 0
      if (retriesLeft > 0 && pause > 0) await sleep(Math.min(pause, pauseMsMax))
    },
  }
  return {
    label: rpc.label,
    close: rpc.close,
    isOneExchange: rpc.isOneExchange,
    request: (call) =>
      call.method === broadcast ? rpc.request(call) : pRetry(() => rpc.request(call), options),
    async batch(calls) {
      if (calls.some(({ method }) => method === broadcast)) return rpc.batch(calls)
      const outcomes = new Map<number, RpcOutcome<unknown>>()
      const refused = await pRetry(async (attempt) => {
        const left = [...calls.keys()].filter((index) => !outcomes.has(index))
        const found = await rpc.batch(left.flatMap((index) => calls[index] ?? []))
        for (const [at, index] of left.entries()) {
          const outcome = found[at]
          if (outcome === undefined) continue
          if (outcome.ok || attempt === attempts || !mayPass(outcome.error))
            outcomes.set(index, outcome)
        }
        const limited = found.find((one) => !one.ok && mayPass(one.error))
        if (limited?.ok === false && attempt < attempts) throw limited.error
      }, options).catch((error: unknown) => error)
      if (refused !== undefined && outcomes.size < calls.length) throw refused
      return calls.map((_, index) => outcomes.get(index)) as never
    },
  }
}
