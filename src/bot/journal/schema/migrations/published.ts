import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** When bytes that private relays brought into no block were given to public endpoints as well. */
export const published: Migration = {
  async up(db: Kysely<never>) {
    await sql`ALTER TABLE attempt ADD COLUMN published_at bigint`.execute(db)
  },
}
