import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Which bodies are still here, oldest first, and which archives have the others: rows without a body leave the index. */
export const bodies: Migration = {
  async up(db: Kysely<never>) {
    await sql`
      CREATE INDEX bodies_of_log ON event (seq)
      WHERE type IN ('PLANNED', 'VERIFIED', 'REJECTED', 'OFFERED', 'SENT', 'INCLUDED', 'DECIDED')
        AND length(facts) > 0`.execute(db)
    await sql`CREATE INDEX archives_of_log ON event (seq) WHERE type = 'ARCHIVED'`.execute(db)
    await sql`CREATE INDEX bodies_of_decisions ON decision (at) WHERE length(context) > 0`.execute(
      db,
    )
  },
}
