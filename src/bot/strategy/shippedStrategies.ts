import { existsSync, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readStrategy } from './readStrategy.ts'
import type { Strategy } from './strategy.ts'

/** A strategy by the name a configuration uses it by. */
export type NamedStrategy = { readonly use: string; readonly strategy: Strategy<unknown> }

/** Every strategy that a configuration may use. Throws STRATEGY_BROKEN where one cannot be loaded. */
export function shippedStrategies(folder = strategiesFolder()): readonly NamedStrategy[] {
  return strategyNames(folder).map((use) => ({
    use,
    strategy: readStrategy(join(folder, `${use}.ts`)),
  }))
}

/** The nearest folder that has a `package.json`: the repository, or the folder of a release. */
export function packageFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder)
    folder = dirname(folder)
  return folder
}

export const strategiesFolder = (): string => join(packageFolder(), 'strategies')

/** The names a configuration may use: the files that are there. */
export function strategyNames(folder: string): readonly string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((file) => /^[a-z0-9-]+\.ts$/.test(file))
    .map((file) => basename(file, '.ts'))
    .sort()
}
