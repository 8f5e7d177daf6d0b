import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** The first price of each hour that was seen of a pair: a day of them is at most 25 rows, found by the key. */
export const prices: Migration = {
  async up(db: Kysely<never>) {
    await sql`
      CREATE TABLE price (
        chain_id integer NOT NULL,
        sell_token text NOT NULL,
        buy_token text NOT NULL,
        hour integer NOT NULL,
        at bigint NOT NULL,
        sold text NOT NULL,
        bought text NOT NULL,
        PRIMARY KEY (chain_id, sell_token, buy_token, hour)
      )`.execute(db)
  },
}
