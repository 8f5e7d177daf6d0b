import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Up to where the books were compared with the chain and found in order. */
export const reconciled: Migration = {
  async up(db: Kysely<never>) {
    await sql`
      CREATE TABLE reconciled (
        chain_id integer NOT NULL,
        wallet text NOT NULL,
        block integer NOT NULL,
        seq integer NOT NULL,
        at bigint NOT NULL,
        limits text NOT NULL,
        PRIMARY KEY (chain_id, wallet)
      )`.execute(db)
  },
}
