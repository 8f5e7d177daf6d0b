import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Limits over time count from the signature: a swap may wait for its approvals longer than the limit looks back. */
export const signedAt: Migration = {
  async up(db: Kysely<never>) {
    await sql`ALTER TABLE swap ADD COLUMN signed_at bigint`.execute(db)
    await sql`UPDATE swap SET signed_at = created_at WHERE nonce IS NOT NULL`.execute(db)
    await sql`CREATE INDEX signed_by_wallet ON swap (chain_id, wallet, signed_at)`.execute(db)
  },
}
