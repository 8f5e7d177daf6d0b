import type { Kysely } from 'kysely'
import type { Tables } from './tables.ts'

/** A journal's database, before its schema was looked at. */
export type Unmigrated = {
  readonly db: Kysely<Tables>
  /** Changes of the schema: all of them or none. */
  inOneTransaction(work: (db: Kysely<Tables>) => Promise<void>): Promise<void>
}
