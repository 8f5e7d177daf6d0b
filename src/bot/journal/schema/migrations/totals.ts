import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** The totals of the strategies when the books were last in order: the next look adds to them what settled since. */
export const totals: Migration = {
  async up(db: Kysely<never>) {
    await sql`ALTER TABLE reconciled ADD COLUMN totals text`.execute(db)
  },
}
