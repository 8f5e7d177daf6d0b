import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * Signed bytes may be replaced by dearer ones of the same nonce: each names the ones it replaces, and what the network
 * last said of it. What an approval leaves behind with the router is written down until it is used or taken back.
 */
export const attempts: Migration = {
  async up(db: Kysely<never>) {
    await sql`ALTER TABLE attempt ADD COLUMN replaces text`.execute(db)
    await sql`ALTER TABLE attempt ADD COLUMN verdict text`.execute(db)
    await sql`DROP INDEX one_purpose_per_nonce`.execute(db)
    await sql`
      CREATE UNIQUE INDEX one_purpose_per_nonce ON attempt (chain_id, wallet, nonce)
      WHERE kind <> 'CANCEL' AND replaces IS NULL`.execute(db)
    await sql`DROP INDEX one_open_approval_per_wallet`.execute(db)
    await sql`
      CREATE UNIQUE INDEX one_open_approval_per_wallet ON attempt (chain_id, wallet)
      WHERE kind = 'APPROVE' AND closed_at_block IS NULL AND replaces IS NULL`.execute(db)
    await sql`CREATE UNIQUE INDEX replaced_once ON attempt (replaces) WHERE replaces IS NOT NULL`.execute(
      db,
    )
    await sql`
      CREATE TABLE allowance (
        chain_id integer NOT NULL,
        wallet text NOT NULL,
        token text NOT NULL,
        spender text NOT NULL,
        wei text NOT NULL,
        swap_id text NOT NULL REFERENCES swap (id),
        at bigint NOT NULL,
        PRIMARY KEY (chain_id, wallet, token, spender)
      )`.execute(db)
    await sql`ALTER TABLE wallet ADD COLUMN adopted_nonce integer`.execute(db)
  },
}
