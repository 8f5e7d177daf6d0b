import type { Rpc, RpcCall, RpcOutcome } from '../../chain/rpc/rpc.ts'
import { BallastError } from '../../core/errors.ts'

/** Most endpoints take a hundred calls in one exchange; few take more. */
const callsMax = 100

/** Asks any number of questions, a bounded number in each exchange. */
export type Ask = <result>(
  calls: readonly RpcCall<result>[],
) => Promise<readonly RpcOutcome<result>[]>

/** An endpoint that stays silent is not asked for the rest: what it would have said is unknown. */
export function createAsk(rpc: Rpc): Ask {
  let silent: BallastError | undefined
  return async <result>(calls: readonly RpcCall<result>[]) => {
    const outcomes: RpcOutcome<result>[] = []
    for (let from = 0; from < calls.length; from += callsMax) {
      const some = calls.slice(from, from + callsMax)
      if (silent === undefined)
        try {
          outcomes.push(...((await rpc.batch(some)) as RpcOutcome<result>[]))
          continue
        } catch (error) {
          if (!(error instanceof BallastError) || error.fault !== 'upstream') throw error
          silent = error
        }
      const error = silent
      outcomes.push(...some.map(() => ({ ok: false, error }) as const))
    }
    return outcomes
  }
}
