import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Kysely, SqliteDialect } from 'kysely'
import type { Opened } from './opened.ts'
import type { Tables } from './tables.ts'

/** The journal in a file of SQLite, to be written. */
export function openSqlite(path: string): Opened {
  mkdirSync(dirname(path), { recursive: true })
  // The wait is for the short moments in which another command holds the file.
  const file = new DatabaseSync(path, { timeout: 5_000 })
  try {
    // WAL so that other commands read while the bot writes; FULL so that a commit survives a power cut.
    file.exec('PRAGMA journal_mode = WAL')
    file.exec('PRAGMA synchronous = FULL')
    file.exec('PRAGMA foreign_keys = ON')
  } catch (error) {
    file.close()
    throw error
  }
  // A transaction that first reads and then writes would fail when another process wrote in between: the write
  // lock is taken at its begin, and waited for.
  const db = databaseOf(file, { begin: 'BEGIN IMMEDIATE' })
  return {
    db,
    async inOneTransaction(work) {
      file.exec('BEGIN IMMEDIATE')
      try {
        await work(db)
      } catch (error) {
        file.exec('ROLLBACK')
        throw error
      }
      file.exec('COMMIT')
    },
  }
}

/** The same to be read only: the file is neither made nor changed. */
export function openSqliteToRead(path: string): Kysely<Tables> {
  return databaseOf(new DatabaseSync(path, { timeout: 5_000, readOnly: true }), { begin: 'BEGIN' })
}

function databaseOf(file: DatabaseSync, { begin }: { begin: string }): Kysely<Tables> {
  return new Kysely({ dialect: new SqliteDialect({ database: adapt(file, begin) }) })
}

/** Node's own SQLite in the shape Kysely's dialect asks for. No native build in a process that holds keys. */
function adapt(file: DatabaseSync, begin: string) {
  type Parameters = readonly (string | number | bigint | null)[]
  return {
    close: () => file.close(),
    prepare(sql: string) {
      const statement = file.prepare(sql === 'begin' ? begin : sql)
      return {
        reader: statement.columns().length > 0,
        all: (parameters: readonly unknown[]) => statement.all(...(parameters as Parameters)),
        run: (parameters: readonly unknown[]) => statement.run(...(parameters as Parameters)),
        iterate: (parameters: readonly unknown[]) =>
          statement.iterate(...(parameters as Parameters)) as IterableIterator<unknown>,
      }
    },
  }
}
