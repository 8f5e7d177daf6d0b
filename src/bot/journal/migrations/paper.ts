import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * What kind of books these are, said once when they are begun; and the virtual money of those kept on paper. That a
 * balance is never below zero is the database's own word: no bug above it spends what is not there.
 */
export const paper: Migration = {
  async up(db: Kysely<never>) {
    await sql`
      CREATE TABLE journal_kind (
        id integer PRIMARY KEY CHECK (id = 1),
        kind text NOT NULL CHECK (kind IN ('live', 'paper'))
      )`.execute(db)
    await sql`
      CREATE TABLE paper_balance (
        chain_id integer NOT NULL,
        wallet text NOT NULL,
        token text NOT NULL,
        opening text NOT NULL,
        origin text NOT NULL CHECK (origin IN ('wallet', 'given')),
        wei text NOT NULL CHECK (wei NOT LIKE '-%'),
        opened_at bigint NOT NULL,
        PRIMARY KEY (chain_id, wallet, token)
      )`.execute(db)
  },
}
