import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** What a person asks of the past is found by its instant: decisions, slots that were not done, moves of the ledger. */
export const reading: Migration = {
  async up(db: Kysely<never>) {
    await sql`CREATE INDEX decisions_by_slot ON decision (strategy, slot, id)`.execute(db)
    await sql`CREATE INDEX decisions_by_time ON decision (at, id)`.execute(db)
    await sql`
      CREATE INDEX undone_slots ON slot (at) WHERE state IN ('missed', 'failed')`.execute(db)
    // Every move is one of these; the log has many entries that move nothing.
    await sql`
      CREATE INDEX moves_of_log ON event (seq)
      WHERE type IN ('SETTLED', 'REVERTED', 'EXPIRED_DEAD', 'APPROVED', 'PAID_IN')`.execute(db)
  },
}
