import { constants, createContext, Script } from 'node:vm'

/**
 * A decision takes milliseconds, so a loaded machine is far from it. A lease on a server is lost after ten seconds without
 * a renewal, and the last one may be five seconds old: two calls must not take all that is left.
 */
const callMsMax = 2_000

/** The end of a sentence about a call that took longer. */
export const tooLate = `no answer within ${callMsMax / 1_000} s`

/** A script with a limit ends all that it calls, whatever world that belongs to: one serves every strategy. */
const world = createContext(constants.DONT_CONTEXTIFY)
const script = new Script('act()')

/**
 * The answer of a strategy's code; undefined where it took too long, was called once more, and took too long again. A
 * machine that stood still during a call is no fault of the strategy.
 */
export const withinTime = <result>(act: () => result): { readonly value: result } | undefined =>
  calledOnce(act) ?? calledOnce(act)

function calledOnce<result>(act: () => result): { readonly value: result } | undefined {
  let answer: { readonly value: result } | undefined
  world.act = () => {
    answer = { value: act() }
  }
  try {
    script.runInContext(world, { timeout: callMsMax, displayErrors: false })
  } catch (error) {
    if (!isTimeout(error)) throw error
  }
  return answer
}

/** The answer of a strategy's code; throws where it took too long. */
export function inTime<result>(act: () => result): result {
  const answer = withinTime(act)
  if (answer === undefined) throw new RangeError(tooLate)
  return answer.value
}

/** It is of another `Error` than ours, and whatever a strategy throws comes by here as well. */
const isTimeout = (error: unknown): boolean =>
  Object.getOwnPropertyDescriptor(Object(error), 'code')?.value === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
