import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Permits that were signed for a token: each may be given to it by anybody until its deadline, or until its nonce is used. */
export const permits: Migration = {
  async up(db: Kysely<never>) {
    await sql`
      CREATE TABLE permit (
        digest text NOT NULL,
        swap_id text NOT NULL REFERENCES swap (id),
        chain_id integer NOT NULL,
        wallet text NOT NULL,
        token text NOT NULL,
        spender text NOT NULL,
        wei text NOT NULL,
        nonce text NOT NULL,
        deadline bigint NOT NULL,
        signature text NOT NULL,
        sent integer NOT NULL,
        created_at bigint NOT NULL,
        PRIMARY KEY (swap_id, digest)
      )`.execute(db)
    await sql`CREATE INDEX permits_of_token ON permit (chain_id, wallet, token, created_at)`.execute(
      db,
    )
  },
}
