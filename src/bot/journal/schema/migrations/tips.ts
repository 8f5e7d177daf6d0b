import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** The part of the gas that was a tip; the rest is base fee, and on a rollup the charge for its bytes. */
export const tips: Migration = {
  async up(db: Kysely<never>) {
    for (const table of ['swap', 'attempt'])
      await sql`ALTER TABLE ${sql.ref(table)} ADD COLUMN tip_paid text`.execute(db)
  },
}
