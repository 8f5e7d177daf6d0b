import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Kysely } from 'kysely'
import { type BallastError, ballastError } from '../../../core/errors.ts'
import type { Secret } from '../../../core/secret.ts'
import { closedFile } from './closedFile.ts'
import { fileBehind } from './fileBehind.ts'
import type { Tables } from './tables.ts'

/** Where a journal is kept. The address of a server carries its password: it is never shown. */
export type Database = { readonly dialect: 'sqlite'; readonly path: string } | ServerDatabase

/** A journal on a PostgreSQL server. */
export type ServerDatabase = {
  readonly dialect: 'postgres'
  readonly url: Secret
  /** Where its tables are, in lower case; `public` without it. Each wallet of a fleet has a schema of its own. */
  readonly schema?: string
}

/** A journal's name in messages: the path of its file, or server, database and schema without the user. */
export function journalName(database: Database): string {
  if (database.dialect === 'sqlite') return database.path
  const { host, pathname } = new URL(database.url.reveal())
  const schema = database.schema === undefined ? '' : `/${database.schema}`
  return `postgres://${host}${pathname}${schema}`
}

/** The schema of a journal on a server. */
export const journalSchema = ({ schema = 'public' }: Pick<ServerDatabase, 'schema'>): string =>
  schema

/** A journal's database, before its schema was looked at. */
export type Unmigrated = {
  readonly db: Kysely<Tables>
  /** Changes of the schema: all of them or none. */
  inOneTransaction(work: (db: Kysely<Tables>) => Promise<void>): Promise<void>
}

/** The journal's file is broken, or is no journal. Nothing is signed without one. */
export function unusable(path: string, cause: unknown): BallastError {
  return ballastError(
    'JOURNAL_UNUSABLE',
    'The journal cannot be used.',
    {
      file: path,
      reason: reasonOf(cause),
      next: 'check where it lies, and the rights of this account: ballast doctor. Only a damaged file needs a copy: ballast restore',
    },
    cause,
  )
}

/**
 * Throws where an account may not write all files of a journal. SQLite opens one that it may only read all the same, and
 * leaves a log and an index of that account beside it, which lock the owner out.
 */
export function assertMayWrite(path: string): void {
  const file = fileBehind(path)
  const closed = closedFile(['', '-wal', '-shm'].map((end) => `${file}${end}`))
  if (closed === undefined) return
  throw ballastError('JOURNAL_UNUSABLE', 'This account may not write the journal.', {
    file: path,
    reason: closed,
    next: 'run as the account of the journal; give a -wal or -shm of another account to it (chown) while no process has the journal open, and delete none: a -wal has the last entries',
  })
}

/** The folder of a journal takes no file, as on a disk that is read-only, or the lock in it is closed to this account. */
export function unwritable(path: string, cause: unknown): BallastError {
  const closed = closedFile([`${fileBehind(path)}.lock`])
  if (closed !== undefined)
    return ballastError(
      'JOURNAL_UNUSABLE',
      'The lock of the journal cannot be written.',
      { file: path, reason: closed, next: nextOfClosed },
      cause,
    )
  return ballastError(
    'JOURNAL_UNUSABLE',
    `The journal's folder cannot be written: ${dirname(path)}.`,
    {
      file: path,
      reason: reasonOf(cause),
      next: 'let this account write there, or set database to another folder: ballast doctor',
    },
    cause,
  )
}

/** Without the lock that the others go by, an account would be alone with one of its own. */
export const nextOfClosed =
  'give the file to the account of the bot (chown), or let the group of both write it (chmod g+w); do not delete it'

/**
 * Looks whether the file of a journal, as it is at this call, is still at its path. Undefined while it is; a server
 * looks after its own files. What is written to a file without a path is in nobody's books.
 */
export function watchPlace(database: Database): () => BallastError | undefined {
  if (database.dialect !== 'sqlite') return () => undefined
  const { path } = database
  const opened = identityOf(path)
  return () => {
    try {
      const found = identityOf(path)
      return found === opened ? undefined : moved(path, found)
    } catch (error) {
      return unusable(path, error)
    }
  }
}

/** Device and number of a file; undefined where there is none. */
function identityOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found && `${found.dev}:${found.ino}`
}

const moved = (path: string, found: string | undefined): BallastError =>
  ballastError(
    'JOURNAL_MOVED',
    found === undefined
      ? 'The journal was moved or deleted while this process used it.'
      : 'Another file took the place of the journal while this process used it.',
    {
      file: path,
      next: 'put the moved file back with its -wal beside it, then start again; where it is lost: ballast restore',
    },
  )

const reasonOf = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause))
