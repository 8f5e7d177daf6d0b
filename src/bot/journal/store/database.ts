import type { Kysely } from 'kysely'
import { type BallastError, ballastError } from '../../../core/errors.ts'
import type { Secret } from '../../../core/secret.ts'
import type { Tables } from './tables.ts'

/** Where a journal is kept. The address of a server carries its password: it is never shown. */
export type Database =
  | { readonly dialect: 'sqlite'; readonly path: string }
  | { readonly dialect: 'postgres'; readonly url: Secret }

/** A journal's name in messages: the path of its file, or server and database without the user. */
export function journalName(database: Database): string {
  if (database.dialect === 'sqlite') return database.path
  const { host, pathname } = new URL(database.url.reveal())
  return `postgres://${host}${pathname}`
}

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
    { file: path, reason: cause instanceof Error ? cause.message : String(cause) },
    cause,
  )
}
