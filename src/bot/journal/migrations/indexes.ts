import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** What is asked at every look, at every end and at every start is found without reading what is long over. */
export const indexes: Migration = {
  async up(db: Kysely<never>) {
    await sql`
      CREATE INDEX locks_of_log ON event (seq)
      WHERE type IN ('LOCK_OPENED', 'LOCK_RELEASED')`.execute(db)
    await sql`
      CREATE INDEX open_approvals ON attempt (swap_id)
      WHERE kind = 'APPROVE' AND closed_at_block IS NULL`.execute(db)
    await sql`CREATE INDEX attempts_of_wallet ON attempt (wallet, created_at)`.execute(db)
    await sql`CREATE INDEX attempts_of_nonce ON attempt (chain_id, wallet, nonce)`.execute(db)
    await sql`CREATE INDEX ends_of_strategy ON swap (strategy, updated_at, id)`.execute(db)
    await sql`CREATE INDEX ends_of_wallet ON swap (wallet, updated_at, id)`.execute(db)
    await sql`
      CREATE INDEX swaps_of_pair ON swap (strategy, sell_token, buy_token, created_at)`.execute(db)
    // Limits over time count from the signature since: these answer nothing any more.
    await sql`DROP INDEX spending`.execute(db)
    await sql`DROP INDEX spending_of_wallet`.execute(db)
  },
}
