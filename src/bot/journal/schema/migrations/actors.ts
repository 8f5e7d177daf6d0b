import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Who opened a lock, and who let go of it. */
export const actors: Migration = {
  async up(db: Kysely<never>) {
    await sql`ALTER TABLE lock ADD COLUMN opened_by text`.execute(db)
    await sql`ALTER TABLE lock ADD COLUMN released_by text`.execute(db)
  },
}
