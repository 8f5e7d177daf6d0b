import { closeSync, existsSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { Kysely, SqliteDialect } from 'kysely'
import { ballastError } from '../../../core/errors.ts'
import { assertMayWrite, type Unmigrated, unusable } from './database.ts'
import { giveToAccounts, makeFolder } from './giveToFolder.ts'
import { unpacking } from './packed.ts'
import { placeToRead } from './placeToRead.ts'
import { busy, full, isOfTheFile, primaryCode } from './sqliteCode.ts'
import type { Tables } from './tables.ts'

/** For the short moments in which another command holds the file. */
const waitMs = 5_000

/** The journal in a file of SQLite, to be written. */
export function openSqlite(path: string): Unmigrated {
  makeFolder(dirname(path))
  // Before SQLite opens it: its log gets the mode and the owner of the file.
  if (!existsSync(path)) {
    closeSync(openSync(path, 'a', 0o600))
    giveToAccounts(path)
  }
  assertMayWrite(path)
  const file = new DatabaseSync(path, { timeout: waitMs })
  try {
    // WAL so that other commands read while the bot writes; FULL so that a commit survives a power cut.
    file.exec('PRAGMA journal_mode = WAL')
    file.exec('PRAGMA synchronous = FULL')
    // The fsync of macOS leaves it in the cache of the disk; elsewhere these change nothing.
    file.exec('PRAGMA fullfsync = ON')
    file.exec('PRAGMA checkpoint_fullfsync = ON')
    file.exec('PRAGMA foreign_keys = ON')
  } catch (error) {
    file.close()
    throw error
  }
  // A transaction that first reads and then writes would fail when another process wrote in between: the write
  // lock is taken at its begin, and waited for.
  const db = databaseOf(file, { path, begin: 'BEGIN IMMEDIATE', assertQuiet: () => {} })
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
  const { location, assertQuiet } = placeToRead(path)
  const file = new DatabaseSync(location, { timeout: waitMs, readOnly: true })
  return databaseOf(file, { path, begin: 'BEGIN', assertQuiet })
}

/** A file's path, how its transactions begin, and what must hold after each reading. */
type Opened = {
  readonly path: string
  readonly begin: string
  readonly assertQuiet: () => void
}

function databaseOf(file: DatabaseSync, opened: Opened): Kysely<Tables> {
  return new Kysely({
    dialect: new SqliteDialect({ database: adapt(file, opened) }),
    plugins: [unpacking],
  })
}

/** Node's own SQLite in the shape Kysely's dialect needs. No native build in a process that holds keys. */
function adapt(file: DatabaseSync, { path, begin, assertQuiet }: Opened) {
  type Parameters = readonly (string | number | bigint | null | Uint8Array)[]
  const adapted = (statement: StatementSync) => ({
    reader: statement.columns().length > 0,
    all: (parameters: readonly unknown[]) =>
      explained(path, () => {
        try {
          return statement.all(...(parameters as Parameters))
        } finally {
          // Before the failure of a reading that was torn.
          assertQuiet()
        }
      }),
    run: (parameters: readonly unknown[]) =>
      explained(path, () => statement.run(...(parameters as Parameters))),
    iterate(): never {
      throw new Error('a statement is kept for all who use it: read a page at a time')
    },
  })
  const prepared = new Map<string, ReturnType<typeof adapted>>()
  return {
    close: () => file.close(),
    prepare(sql: string) {
      // A full disk ends the transaction by itself: the error to report then is the disk, not that nothing is open.
      if (sql === 'rollback' && !file.isTransaction) return nothing
      const known = prepared.get(sql)
      if (known !== undefined) return known
      const made = adapted(file.prepare(sql === 'begin' ? begin : sql))
      if (prepared.size === preparedMax) prepared.clear()
      prepared.set(sql, made)
      return made
    },
  }
}

/** A look and a swap take some hundred; lists of ids have a text for each length. */
const preparedMax = 500

const nothing = {
  reader: false,
  all: () => [],
  run: () => ({ changes: 0, lastInsertRowid: 0 }),
  iterate: () => [][Symbol.iterator](),
}

/** Failures of another process or the disk, in the journal's words. */
function explained<result>(path: string, work: () => result): result {
  try {
    return work()
  } catch (error) {
    const code = primaryCode(error)
    if (code === busy)
      throw ballastError(
        'JOURNAL_BUSY',
        'Another process held the journal for too long.',
        { waitedMs: waitMs },
        error,
      )
    if (code === full)
      throw ballastError(
        'JOURNAL_FULL',
        'The journal cannot grow: the disk is full. Nothing was stored.',
        { next: 'make room, then start again: what was stored goes on' },
        error,
      )
    if (isOfTheFile(error)) throw unusable(path, error)
    throw error
  }
}
