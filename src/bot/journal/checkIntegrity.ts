import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { Database } from './database.ts'
import { unusable } from './unusable.ts'

/** Reads the whole file before anything is spent from it. A torn page found later would be found by a swap. */
export function checkIntegrity(database: Database): void {
  if (database.dialect !== 'sqlite') return
  const { path } = database
  if (!existsSync(path)) return
  let file: DatabaseSync | undefined
  try {
    file = new DatabaseSync(path, { timeout: 5_000 })
    const verdict = Object.values(file.prepare('PRAGMA integrity_check(1)').get() ?? {})[0]
    if (verdict !== 'ok') throw new Error(String(verdict))
  } catch (cause) {
    throw unusable(path, cause)
  } finally {
    file?.close()
  }
}
