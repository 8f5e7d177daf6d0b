import type { BallastError } from '../../core/errors.ts'
import { brokenStrategy } from './callStrategy.ts'
import type { LoadedStrategy } from './load.ts'
import { tooLate, withinTime } from './withinTime.ts'

/**
 * The same strategy, for a bot that trades: an endless `decide` or `reserves` breaks that strategy, and holds up no signature
 * and no kill switch. The limit costs more than a decision does, so replays and forecasts go without.
 */
export function withTimeLimit(loaded: LoadedStrategy): LoadedStrategy {
  const { name, strategy } = loaded
  const { decide, reserves } = strategy
  const limited = {
    ...strategy,
    decide: limit(`${name}: decide`, decide),
    ...(reserves && { reserves: limit(`${name}: reserves`, reserves) }),
  }
  return Object.freeze({ ...loaded, strategy: Object.freeze(limited) })
}

function limit<given, answer>(shown: string, call: (given: given) => answer) {
  /** Every look of the others would wait for it again. */
  let late: BallastError | undefined
  return (given: given): answer => {
    if (late !== undefined) throw late
    const answer = withinTime(() => call(given))
    if (answer !== undefined) return answer.value
    late = brokenStrategy(`${shown} failed: ${tooLate}. It is called again after a restart.`)
    throw late
  }
}
