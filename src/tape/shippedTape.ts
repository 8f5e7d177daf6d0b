import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Where the synthetic tape is that comes with the project: below the nearest folder that has a `package.json`, as the strategies are. */
export function shippedTape(): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder)
    folder = dirname(folder)
  return join(folder, 'docs', 'tapes', 'synthetic-30d.jsonl.gz')
}
