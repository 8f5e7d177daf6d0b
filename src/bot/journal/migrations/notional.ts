import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Limits in a unit of account: what each swap is worth, and which pair it was. */
export const notional: Migration = {
  async up(db: Kysely<never>) {
    for (const column of ['buy_token', 'notional', 'notional_unit'])
      await sql`ALTER TABLE swap ADD COLUMN ${sql.ref(column)} text`.execute(db)
    await sql`CREATE INDEX spending_of_wallet ON swap (chain_id, wallet, created_at)`.execute(db)
  },
}
