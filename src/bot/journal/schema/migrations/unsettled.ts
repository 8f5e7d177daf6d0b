import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Swaps that ended without a fill are few among many: a person who looks for them reads these alone. */
export const unsettled: Migration = {
  async up(db: Kysely<never>) {
    await sql`
      CREATE INDEX unsettled_swaps ON swap (created_at, id)
      WHERE state IN ('REVERTED', 'EXPIRED_DEAD', 'DISPLACED', 'REJECTED', 'ABANDONED')`.execute(db)
    await sql`
      CREATE INDEX unsettled_of_strategy ON swap (strategy, created_at, id)
      WHERE state IN ('REVERTED', 'EXPIRED_DEAD', 'DISPLACED', 'REJECTED', 'ABANDONED')`.execute(db)
  },
}
