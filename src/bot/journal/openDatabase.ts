import type { Kysely } from 'kysely'
import { BallastError } from '../../core/errors.ts'
import type { Database } from './database.ts'
import { journalName } from './nameOf.ts'
import { openSqlite, openSqliteToRead } from './openSqlite.ts'
import type { Fence } from './postgres/fence.ts'
import { openPostgres, openPostgresToRead } from './postgres/openPostgres.ts'
import { assertCurrent, migrate } from './schema.ts'
import type { Tables } from './tables.ts'
import { unusable } from './unusable.ts'

/**
 * The journal's database, migrated, with every commit on disk before it returns. A transaction holds the right to write
 * from its begin: what it reads stays true until it commits. Who spends names the fence that its writes must pass.
 */
export async function openDatabase(
  database: Database,
  { fence }: { fence?: Fence | undefined } = {},
): Promise<Kysely<Tables>> {
  const name = journalName(database)
  return explained(name, async (open) => {
    const opened =
      database.dialect === 'sqlite' ? openSqlite(database.path) : openPostgres(database.url, fence)
    open(opened.db)
    await migrate(opened, name)
    return opened.db
  })
}

/** The same to be read only. Nothing is made, migrated or written: it may be somebody else's, and in use. */
export async function openDatabaseToRead(database: Database): Promise<Kysely<Tables>> {
  const name = journalName(database)
  return explained(name, async (open) => {
    const db =
      database.dialect === 'sqlite'
        ? openSqliteToRead(database.path)
        : openPostgresToRead(database.url)
    open(db)
    await assertCurrent(db, name)
    return db
  })
}

/** Closes what was opened when anything fails, and says what failed in the journal's words. */
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
