import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A file that comes with the market, by its path in the repository; the package of the market keeps these paths. */
export function shippedFile(path: string): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder)
    folder = dirname(folder)
  return join(folder, path)
}

/** The market that a sandbox starts, and a drill changes. */
export const shippedWorld = (): string => shippedFile('src/sandbox/world.yaml')
