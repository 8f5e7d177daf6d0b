import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** What a wallet held at a quiet moment, and up to which entry of the log that is explained. */
export const baseline: Migration = {
  async up(db: Kysely<never>) {
    await sql`
      CREATE TABLE baseline (
        chain_id integer NOT NULL,
        wallet text NOT NULL,
        token text NOT NULL,
        wei text NOT NULL,
        seq integer NOT NULL,
        at bigint NOT NULL,
        PRIMARY KEY (chain_id, wallet, token)
      )`.execute(db)
  },
}
