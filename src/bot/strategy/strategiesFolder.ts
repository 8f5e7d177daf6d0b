import { existsSync, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** `strategies/` in the nearest folder that has a `package.json`: the repository, or the folder of a release. */
export function strategiesFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder)
    folder = dirname(folder)
  return join(folder, 'strategies')
}

/** The names a configuration may use: the files that are there. */
export function strategyNames(folder: string): readonly string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((file) => /^[a-z0-9-]+\.ts$/.test(file))
    .map((file) => basename(file, '.ts'))
    .sort()
}
