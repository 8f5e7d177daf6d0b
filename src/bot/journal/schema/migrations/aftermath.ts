import { type Kysely, PostgresAdapter, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * What is read after a swap was mined, or after a wish came to nothing: one row each, and which of them have something left
 * to read. Beside it the base fees in what was paid for gas, and the legs that a firm quote offered.
 */
export const aftermath: Migration = {
  async up(db: Kysely<never>) {
    const isServer = db.getExecutor().adapter instanceof PostgresAdapter
    const packed = sql.raw(isServer ? 'bytea' : 'text')
    await sql`
      CREATE TABLE aftermath (
        subject text PRIMARY KEY,
        strategy text NOT NULL,
        filled integer NOT NULL CHECK (filled IN (0, 1)),
        asked ${packed},
        at bigint NOT NULL,
        block integer,
        next_at bigint,
        found ${packed} NOT NULL
      )`.execute(db)
    await sql`CREATE INDEX aftermath_due ON aftermath (next_at) WHERE next_at IS NOT NULL`.execute(
      db,
    )
    await sql`CREATE INDEX aftermath_by_time ON aftermath (at)`.execute(db)
    for (const table of ['swap', 'attempt'])
      await sql`ALTER TABLE ${sql.ref(table)} ADD COLUMN base_paid text`.execute(db)
    await sql`ALTER TABLE quote ADD COLUMN legs ${packed}`.execute(db)
  },
}
