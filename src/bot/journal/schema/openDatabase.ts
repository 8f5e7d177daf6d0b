import { existsSync } from 'node:fs'
import { type Kysely, sql } from 'kysely'
import { BallastError } from '../../../core/errors.ts'
import { type Database, journalName, type ServerDatabase, unusable } from '../store/database.ts'
import { openSqlite, openSqliteToRead } from '../store/openSqlite.ts'
import { stateOf } from '../store/postgres/openPool.ts'
import { openPostgres, openPostgresToRead } from '../store/postgres/openPostgres.ts'
import type { Fence } from '../store/postgres/takeLease.ts'
import type { Tables } from '../store/tables.ts'
import { assertCurrent, migrate } from './migrate.ts'

/**
 * The journal's database, migrated, with every commit on disk before it returns. A transaction holds the right to write
 * from its begin: what it reads stays true until it commits. A spender names the fence that its writes must pass.
 */
export async function openDatabase(
  database: Database,
  { fence }: { fence?: Fence | undefined } = {},
): Promise<Kysely<Tables>> {
  const name = journalName(database)
  return explained(name, async (open) => {
    const opened = openUnmigrated(database, fence)
    open(opened.db)
    await migrate(opened, database, fence)
    return opened.db
  })
}

const openUnmigrated = (database: Database, fence?: Fence) =>
  database.dialect === 'sqlite' ? openSqlite(database.path) : openPostgres(database, fence)

/** On a server: the tables that it lacks and all that `fill` writes, in one transaction. Throws what `fill` throws. */
export async function fillServer<result>(
  database: ServerDatabase,
  fill: (db: Kysely<Tables>) => Promise<result>,
): Promise<result> {
  const name = journalName(database)
  await using opened = new AsyncDisposableStack()
  const server = openUnmigrated(database)
  opened.defer(() => server.db.destroy())
  const results: result[] = []
  try {
    await server.inOneTransaction(async (db) => {
      await migrate({ db, inOneTransaction: (work) => work(db) }, database)
      results.push(await fill(db))
    })
  } catch (error) {
    throw stateOf(error) === undefined ? error : unusable(name, error)
  }
  return results.at(-1) as result
}

/** The same, read only. Nothing is made, migrated or written: another process may own it and use it. */
export async function openDatabaseToRead(database: Database): Promise<Kysely<Tables>> {
  const name = journalName(database)
  return explained(name, async (open) => {
    const db =
      database.dialect === 'sqlite' ? openSqliteToRead(database.path) : openPostgresToRead(database)
    open(db)
    await assertCurrent(db, database)
    return db
  })
}

/** Closes what was opened when anything fails, and reports the failure in the journal's words. */
async function explained(
  name: string,
  work: (open: (db: Kysely<Tables>) => void) => Promise<Kysely<Tables>>,
): Promise<Kysely<Tables>> {
  let opened: Kysely<Tables> | undefined
  try {
    return await work((db) => {
      opened = db
    })
  } catch (error) {
    await opened?.destroy()
    throw error instanceof BallastError ? error : unusable(name, error)
  }
}

/** Whether there is a journal to read: who only looks makes none. */
export async function journalExists(database: Database): Promise<boolean> {
  if (database.dialect === 'sqlite') return existsSync(database.path)
  const db = openPostgresToRead(database)
  try {
    const { rows } = await sql<{ found: string | null }>`
      SELECT to_regclass('kysely_migration')::text AS found`.execute(db)
    return (rows[0]?.found ?? null) !== null
  } finally {
    await db.destroy()
  }
}
