import { type Kysely, PostgresAdapter, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** What a wallet held and was worth, whatever the strategies looked at: found by its key. */
export const valuations: Migration = {
  async up(db: Kysely<never>) {
    const isServer = db.getExecutor().adapter instanceof PostgresAdapter
    const packed = sql.raw(isServer ? 'bytea' : 'text')
    await sql`
      CREATE TABLE valuation (
        chain_id integer NOT NULL,
        wallet text NOT NULL,
        at bigint NOT NULL,
        unit text NOT NULL,
        total text,
        holdings ${packed} NOT NULL,
        PRIMARY KEY (chain_id, wallet, at)
      )`.execute(db)
  },
}
