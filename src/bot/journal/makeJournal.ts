import { existsSync } from 'node:fs'
import { type Kysely, sql } from 'kysely'
import { ballastError } from '../../core/errors.ts'
import { filesOf, makeOneFile, removeFile } from './copies.ts'
import { lockJournal } from './holdJournal.ts'
import { fillServer, openDatabase } from './schema/openDatabase.ts'
import { copiedTables } from './store/copiedTables.ts'
import { type Database, journalName } from './store/database.ts'
import { partialOf, sync, takeName } from './store/names.ts'
import { allowIdle } from './store/postgres/openPostgres.ts'
import type { Tables } from './store/tables.ts'

type Fill<result> = (db: Kysely<Tables>) => Promise<result>

/**
 * A journal where there is none: it appears whole, with all that `fill` writes, or not at all. Throws TARGET_NOT_EMPTY
 * where there is one; nothing is overwritten.
 */
export const makeJournal = <result>(database: Database, fill: Fill<result>): Promise<result> =>
  database.dialect === 'sqlite'
    ? makeFile(database.path, fill)
    : fillServer(database, async (db) => {
        await allowIdle(db)
        for (const table of copiedTables)
          if (await hasRows(db, table)) throw notEmpty(database, `table ${table} has rows`)
        return fill(db)
      })

async function makeFile<result>(path: string, fill: Fill<result>): Promise<result> {
  const lock = lockJournal(path)
  try {
    // A log of an older file would be taken for that of the new one.
    const there = filesOf(path).find((file) => existsSync(file))
    if (there !== undefined) throw notEmpty({ dialect: 'sqlite', path }, `${there} exists`)
    return await fillFile(path, fill)
  } finally {
    lock.release()
  }
}

async function fillFile<result>(path: string, fill: Fill<result>): Promise<result> {
  const partial = partialOf(path)
  removeFile(partial)
  try {
    const db = await openDatabase({ dialect: 'sqlite', path: partial })
    const result = await fill(db).finally(() => db.destroy())
    makeOneFile(partial)
    sync(partial)
    takeName(partial, path)
    return result
  } catch (error) {
    removeFile(partial)
    throw error
  }
}

async function hasRows(db: Kysely<Tables>, table: (typeof copiedTables)[number]) {
  const { rows } = await sql`SELECT 1 FROM ${sql.table(table)} LIMIT 1`.execute(db)
  return rows.length > 0
}

const notEmpty = (database: Database, why: string) =>
  ballastError('TARGET_NOT_EMPTY', 'There is something at the new place: nothing was changed.', {
    target: journalName(database),
    why,
    next:
      database.dialect === 'sqlite'
        ? 'move the file and those beside it away, or name another'
        : 'name another database, made with: CREATE DATABASE … TEMPLATE template0',
  })
