import { join } from 'node:path'
import type { Strategy } from './strategy.ts'
import { readStrategy } from './readStrategy.ts'
import { strategiesFolder, strategyNames } from './strategiesFolder.ts'

/** A strategy by the name a configuration uses it by. */
export type NamedStrategy = { readonly use: string; readonly strategy: Strategy<unknown> }

/** Every strategy that a configuration may use. Throws STRATEGY_BROKEN where one cannot be loaded. */
export function shippedStrategies(folder = strategiesFolder()): readonly NamedStrategy[] {
  return strategyNames(folder).map((use) => ({
    use,
    strategy: readStrategy(join(folder, `${use}.ts`)),
  }))
}
