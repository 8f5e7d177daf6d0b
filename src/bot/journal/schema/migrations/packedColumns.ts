import { type Kysely, PostgresAdapter, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Columns of long texts. */
const columns = {
  swap: ['plan'],
  quote: ['body', 'checks', 'simulation'],
  attempt: ['raw', 'transaction'],
  decision: ['context', 'decision', 'last_seen'],
  event: ['facts', 'prev', 'hash'],
} as const

/** Long texts are stored packed from here on; what is there stays as it is. A column of SQLite takes text and bytes alike. */
export const packedColumns: Migration = {
  async up(db: Kysely<never>) {
    if (!(db.getExecutor().adapter instanceof PostgresAdapter)) return
    // The server writes these tables anew: that takes as long as they are large.
    await sql`SET LOCAL statement_timeout = 0`.execute(db)
    for (const [table, names] of Object.entries(columns)) {
      const { rows } = await sql<{ name: string }>`
        SELECT column_name AS name FROM information_schema.columns
        WHERE table_schema = current_schema() AND table_name = ${table}
          AND data_type = 'text' AND column_name IN (${sql.join(names)})`.execute(db)
      if (rows.length === 0) continue
      const changes = rows.map(
        ({ name }) =>
          sql`ALTER COLUMN ${sql.ref(name)} DROP DEFAULT, ALTER COLUMN ${sql.ref(name)} TYPE bytea USING convert_to(${sql.ref(name)}, 'UTF8')`,
      )
      await sql`ALTER TABLE ${sql.table(table)} ${sql.join(changes)}`.execute(db)
    }
  },
}
