import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Who may spend, where a journal is on a server: a file has a lock of the system beside it. Times are the server's. */
export const lease: Migration = {
  async up(db: Kysely<never>) {
    await sql`
      CREATE TABLE wallet_lease (
        chain_id integer NOT NULL,
        address text NOT NULL,
        holder text NOT NULL,
        epoch integer NOT NULL,
        expires_at bigint NOT NULL,
        PRIMARY KEY (chain_id, address)
      )`.execute(db)
  },
}
