import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Looks that come to the same are one row: how many there were, and the last of them. */
export const looks: Migration = {
  async up(db: Kysely<never>) {
    await sql`ALTER TABLE refusal ADD COLUMN times integer NOT NULL DEFAULT 1`.execute(db)
    await sql`ALTER TABLE decision ADD COLUMN looks integer NOT NULL DEFAULT 1`.execute(db)
    for (const column of ['last_slot', 'last_at'])
      await sql`ALTER TABLE decision ADD COLUMN ${sql.ref(column)} bigint`.execute(db)
    for (const column of ['last_reason', 'last_seen'])
      await sql`ALTER TABLE decision ADD COLUMN ${sql.ref(column)} text`.execute(db)
  },
}
