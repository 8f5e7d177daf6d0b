import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Balances that moved otherwise than reported are told apart: a stranger can add to them, and only what lacks is a loss. */
export const short: Migration = {
  async up(db: Kysely<never>) {
    await sql`ALTER TABLE swap ADD COLUMN short integer`.execute(db)
  },
}
