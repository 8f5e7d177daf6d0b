import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Kysely, SqliteDialect } from 'kysely'
import { Migrator } from 'kysely/migration'
import { migrations } from './migrations.ts'
import type { Tables } from './tables.ts'
import { unusable } from './unusable.ts'

/** The journal's database, migrated, with every commit on disk before it returns. */
export async function openDatabase(path: string): Promise<Kysely<Tables>> {
  mkdirSync(dirname(path), { recursive: true })
  const file = open(path)
  const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database: adapt(file) }) })
  try {
    await migrate(db, file)
    return db
  } catch (error) {
    await db.destroy()
    throw unusable(path, error)
  }
}

/** All pending migrations or none; a second process that opens the file meanwhile waits for them. */
async function migrate(db: Kysely<Tables>, file: DatabaseSync): Promise<void> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => ({ ...migrations }) },
  })
  const pending = (await migrator.getMigrations()).some(
    ({ executedAt }) => executedAt === undefined,
  )
  if (!pending) return
  file.exec('BEGIN IMMEDIATE')
  const { error } = await migrator.migrateToLatest()
  file.exec(error === undefined ? 'COMMIT' : 'ROLLBACK')
  if (error !== undefined) throw error
}

function open(path: string): DatabaseSync {
  try {
    // The wait is for the short moments in which another command holds the file.
    const file = new DatabaseSync(path, { timeout: 5_000 })
    // WAL so that other commands read while the bot writes; FULL so that a commit survives a power cut.
    file.exec('PRAGMA journal_mode = WAL')
    file.exec('PRAGMA synchronous = FULL')
    file.exec('PRAGMA foreign_keys = ON')
    return file
  } catch (cause) {
    throw unusable(path, cause)
  }
}

/** Node's own SQLite in the shape Kysely's dialect asks for. No native build in a process that holds keys. */
function adapt(file: DatabaseSync) {
  type Parameters = readonly (string | number | bigint | null)[]
  return {
    close: () => file.close(),
    prepare(sql: string) {
      // A transaction that first reads and then writes would fail when another process wrote in between: the write
      // lock is taken at its begin, and waited for.
      const statement = file.prepare(sql === 'begin' ? 'BEGIN IMMEDIATE' : sql)
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
