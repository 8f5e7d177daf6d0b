import { isDeepStrictEqual } from 'node:util'
import type { LoadedStrategy } from '../bot/strategy/load.ts'

/**
 * The strategy in force for a slot that waited for its turn. Undefined where it was taken out meanwhile, or has another
 * schedule without this slot.
 */
export function strategyInForce(
  strategies: readonly LoadedStrategy[],
  { name, schedule }: Pick<LoadedStrategy, 'name' | 'schedule'>,
): LoadedStrategy | undefined {
  const found = strategies.find((one) => one.name === name)
  return found && isDeepStrictEqual(found.schedule, schedule) ? found : undefined
}
