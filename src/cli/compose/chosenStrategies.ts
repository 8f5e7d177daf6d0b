import type { LoadedStrategy } from '../../bot/strategy/load.ts'
import { unknownStrategy } from './unknownStrategy.ts'

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
