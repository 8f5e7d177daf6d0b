import pRetry from 'p-retry'
import { BallastError } from '../../core/errors.ts'
import { type Rpc, RpcRefused } from './rpc.ts'

const broadcast = 'eth_sendRawTransaction'

/**
 * Repeats the request when the endpoint was silent, garbled or wants fewer questions. Reads only: a broadcast passes
 * through once, because a second attempt after an unknown outcome is a decision, not a retry.
 */
export function withRetries(rpc: Rpc, { attempts = 3 }: { attempts?: number } = {}): Rpc {
  const options = {
    retries: attempts - 1,
    minTimeout: 100,
    maxTimeout: 1_000,
    randomize: true,
    shouldRetry: ({ error }: { error: Error }) =>
      error instanceof BallastError &&
      error.remedy === 'retry' &&
      (!(error instanceof RpcRefused) || isLimited(error)),
  }
  return {
    label: rpc.label,
    close: rpc.close,
    request: (call) =>
      call.method === broadcast ? rpc.request(call) : pRetry(() => rpc.request(call), options),
    batch: (calls) =>
      calls.some(({ method }) => method === broadcast)
        ? rpc.batch(calls)
        : pRetry(async (attempt) => {
            const outcomes = await rpc.batch(calls)
            const limited = outcomes.find((one) => !one.ok && isLimited(one.error))
            if (limited?.ok === false && attempt < attempts) throw limited.error
            return outcomes
          }, options),
  }
}

/** HTTP 429 as providers write it into an answer that is HTTP 200. */
const isLimited = (error: Error) =>
  error instanceof RpcRefused && (error.rpcCode === 429 || error.rpcCode === -32_005)
