import type { BallastError } from '../../core/errors.ts'
import { brokenStrategy } from './callStrategy.ts'
import type { LoadedStrategy } from './load.ts'
import { tooLate, withinTime } from './withinTime.ts'

/**
 * Gives strategies as they are called in a bot that trades: an endless `decide`, `reserves` or `targets` breaks its strategy,
 * and holds up no signature and no kill switch. The same list gives the same strategies, and a part that was late is not
 * called again: each look of the others would wait for it again.
 *
 * Whoever calls them for another purpose has a limit of its own: a decision of a plan, which may be on made-up balances, is
 * none of the bot's.
 */
export function createTimeLimit() {
  const known = new WeakMap<readonly LoadedStrategy[], readonly LoadedStrategy[]>()
  return (all: readonly LoadedStrategy[]): readonly LoadedStrategy[] => {
    const limited = known.get(all) ?? Object.freeze(all.map(withTimeLimit))
    known.set(all, limited)
    return limited
  }
}

function withTimeLimit(loaded: LoadedStrategy): LoadedStrategy {
  const { name, strategy } = loaded
  const { decide, reserves, targets } = strategy
  const limited = {
    ...strategy,
    decide: limit(`${name}: decide`, decide),
    ...(reserves && { reserves: limit(`${name}: reserves`, reserves) }),
    ...(targets && { targets: limit(`${name}: targets`, targets) }),
  }
  return Object.freeze({ ...loaded, strategy: Object.freeze(limited) })
}

function limit<given, answer>(shown: string, call: (given: given) => answer) {
  let late: BallastError | undefined
  return (given: given): answer => {
    if (late !== undefined) throw late
    const answer = withinTime(() => call(given))
    if (answer !== undefined) return answer.value
    late = brokenStrategy(
      `${shown} failed: ${tooLate}. It is called again after a restart, or a change of the configuration.`,
    )
    throw late
  }
}
