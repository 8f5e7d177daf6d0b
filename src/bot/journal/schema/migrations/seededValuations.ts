import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Which valuations were made up for a demonstration, and none of a wallet that was looked at: found by its key. */
export const seededValuations: Migration = {
  async up(db: Kysely<never>) {
    await sql`ALTER TABLE valuation ADD COLUMN seeded integer NOT NULL DEFAULT 0`.execute(db)
  },
}
