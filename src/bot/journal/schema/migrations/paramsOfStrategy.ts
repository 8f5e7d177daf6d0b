import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** The parameters that a strategy decided under are few, and its decisions many. */
export const paramsOfStrategy: Migration = {
  async up(db: Kysely<never>) {
    await sql`
      CREATE INDEX params_of_strategy ON decision (strategy, params_hash, id, at)
      WHERE params_hash IS NOT NULL`.execute(db)
  },
}
