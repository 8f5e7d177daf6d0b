import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Permits are for the token itself, as all were so far, or for Permit2. */
export const permitKinds: Migration = {
  async up(db: Kysely<never>) {
    await sql`ALTER TABLE permit ADD COLUMN kind text NOT NULL DEFAULT 'TOKEN'`.execute(db)
  },
}
