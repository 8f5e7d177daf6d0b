import { isDeepStrictEqual } from 'node:util'
import type { LoadedStrategy } from '../bot/strategy/load.ts'

/**
 * What is to be asked for a slot that waited for its turn: the strategy as it is in force now. Undefined where it was
 * taken out meanwhile, or has another schedule, of which this slot is none.
 */
export function strategyInForce(
  strategies: readonly LoadedStrategy[],
  { name, schedule }: Pick<LoadedStrategy, 'name' | 'schedule'>,
): LoadedStrategy | undefined {
  const found = strategies.find((one) => one.name === name)
  return found && isDeepStrictEqual(found.schedule, schedule) ? found : undefined
}
