import type { LoadedStrategy } from '../bot/strategy/load.ts'
import { display } from '../core/display.ts'
import { type BallastError, ballastError } from '../core/errors.ts'
import { didYouMean } from '../core/nearest.ts'

/** The strategies of these names; all where there are none. Throws UNKNOWN_STRATEGY. */
export function chosenStrategies(
  loaded: readonly LoadedStrategy[],
  names: readonly string[],
): readonly LoadedStrategy[] {
  const known = loaded.map(({ name }) => name)
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined) throw unknownStrategy(unknown, known)
  return names.length === 0 ? loaded : loaded.filter(({ name }) => names.includes(name))
}

/** That the file has no strategy of this name, and which one may have been meant. */
export function unknownStrategy(name: string, known: readonly string[]): BallastError {
  return ballastError(
    'UNKNOWN_STRATEGY',
    `There is no strategy '${display(name, 64)}' in the file.${didYouMean(name, known)}`,
    { known: known.join(', ') || 'none' },
  )
}
