import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * Up to where the books were compared with the chain and found in order. And bytes whose nonce a person gave back, after
 * a reorganisation below the depth: it may be signed for once more, and the chain takes one of the two.
 */
export const reconciled: Migration = {
  async up(db: Kysely<never>) {
    await sql`
      CREATE TABLE reconciled (
        chain_id integer NOT NULL,
        wallet text NOT NULL,
        block integer NOT NULL,
        seq integer NOT NULL,
        hash text NOT NULL,
        at bigint NOT NULL,
        limits text NOT NULL,
        PRIMARY KEY (chain_id, wallet)
      )`.execute(db)
    await sql`
      CREATE INDEX notes_of_wallet ON event (swap_id, seq)
      WHERE type IN ('BROKEN', 'RELEASED')`.execute(db)
    await sql`ALTER TABLE attempt ADD COLUMN given_back_at bigint`.execute(db)
    await sql`DROP INDEX one_purpose_per_nonce`.execute(db)
    await sql`
      CREATE UNIQUE INDEX one_purpose_per_nonce ON attempt (chain_id, wallet, nonce)
      WHERE kind <> 'CANCEL' AND replaces IS NULL AND given_back_at IS NULL`.execute(db)
  },
}
