import { type Clock, monotonic } from '../../core/clock.ts'
import { BallastError } from '../../core/errors.ts'
import { minuteMs, secondMs } from '../../core/spans.ts'
import { mayPass, type Rpc, type RpcCall, RpcGarbled, type RpcOutcome, RpcRefused } from './rpc.ts'

/** An endpoint that failed is left alone for so long, twice as long each time, up to the second. */
const restMsMin = 15 * secondMs
const restMsMax = 5 * minuteMs

/** Having answered for so long, an endpoint is as good as new. */
const soundMs = 10 * minuteMs

/**
 * Several endpoints of one chain as one: each call goes to the first that is not left alone. One that is silent, garbled,
 * fails by itself or limits calls is left alone for a while, and the call goes to the next. So a node that comes and goes is not
 * returned to at once. Refusals are answers: the next endpoint is not asked for another opinion.
 *
 * For reads. Whoever broadcasts sends to each endpoint by itself.
 */
export function withFallbacks(
  rpcs: readonly [Rpc, ...Rpc[]],
  // How long an endpoint is left alone has nothing to do with what the machine's clock is set to.
  clock: Pick<Clock, 'now'> = { now: monotonic },
): Rpc {
  const states = rpcs.map((rpc) => ({
    ...{ rpc, restsUntil: Number.NEGATIVE_INFINITY, restMs: restMsMin },
    failedAt: Number.NEGATIVE_INFINITY,
  }))
  type State = (typeof states)[number]

  /** Those that are not left alone in their order, then the others, the soonest first. */
  const inOrder = (): readonly State[] => {
    const now = clock.now()
    const resting = states.filter(({ restsUntil }) => restsUntil > now)
    const ready = states.filter(({ restsUntil }) => restsUntil <= now)
    return [...ready, ...resting.sort((a, b) => a.restsUntil - b.restsUntil)]
  }

  /** Calls that were under way together fail together: what began before the end of its rest is no new trouble. */
  function leaveAlone(state: State, began: number): void {
    if (began < state.restsUntil) return
    const now = clock.now()
    const isNew = now - state.failedAt > soundMs
    state.restMs = isNew ? restMsMin : Math.min(2 * state.restMs, restMsMax)
    state.failedAt = now
    state.restsUntil = now + state.restMs
  }

  async function first<result>(call: (rpc: Rpc) => Promise<result>): Promise<result> {
    let failure: unknown
    for (const state of inOrder()) {
      const began = clock.now()
      try {
        return await call(state.rpc)
      } catch (error) {
        if (!isAway(error)) throw error
        leaveAlone(state, began)
        failure ??= error
      }
    }
    throw failure
  }

  /** A limit may come with each call of a batch, whose others are answered: the next endpoint gets all of it. */
  async function batch(calls: readonly RpcCall<unknown>[]) {
    let limited: readonly RpcOutcome<unknown>[] | undefined
    const outcomes = await first(async (rpc) => {
      const found: readonly RpcOutcome<unknown>[] = await rpc.batch(calls)
      const refused = found.find((one) => !one.ok && isAway(one.error))
      if (refused?.ok !== false) return found
      limited ??= found
      throw refused.error
    }).catch((error: unknown) => {
      if (limited === undefined) throw error
      return limited
    })
    return outcomes as never
  }

  return {
    label: rpcs[0].label,
    isOneExchange: (calls) => inOrder()[0]?.rpc.isOneExchange(calls) ?? false,
    request: (call) => first((rpc) => rpc.request(call)),
    batch,
    close: async () => {
      await Promise.all(rpcs.map((rpc) => rpc.close()))
    },
  }
}

/** That a view answered with nothing is what its contract says, and every node would say it. */
const isAway = (error: unknown): boolean => {
  if (error instanceof RpcRefused) return mayPass(error)
  if (error instanceof RpcGarbled) return error.shape !== 'empty'
  return error instanceof BallastError && error.fault === 'upstream'
}
