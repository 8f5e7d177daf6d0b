import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { liveStates } from '../../../state.ts'

const live = sql.raw(liveStates.map((state) => `'${state}'`).join(', '))

/**
 * The guards are in the database, because it outlives every bug above it: a state without the columns it stands for
 * cannot be written, and a wallet cannot have two swaps with signed bytes at once.
 */
export const first: Migration = {
  async up(db: Kysely<never>) {
    await sql`
      CREATE TABLE swap (
        id text PRIMARY KEY,
        key text NOT NULL UNIQUE,
        strategy text NOT NULL,
        chain_id integer NOT NULL,
        wallet text NOT NULL,
        plan text NOT NULL,
        sell_token text NOT NULL,
        amount_in text NOT NULL,
        state text NOT NULL,
        version integer NOT NULL,
        code text,
        reason text,
        nonce integer,
        deadline integer,
        included_hash text,
        included_block integer,
        included_block_hash text,
        sold text,
        received text,
        gas_used text,
        gas_paid text,
        agrees integer,
        created_at bigint NOT NULL,
        updated_at bigint NOT NULL,
        CHECK (state IN ('PLANNED', 'VERIFIED', 'SIGNED', 'SENT', 'INCLUDED', 'CANCELLING',
          'SETTLED', 'REVERTED', 'EXPIRED_DEAD', 'DISPLACED', 'REJECTED', 'ABANDONED')),
        CHECK (state NOT IN (${live}) OR (nonce IS NOT NULL AND deadline IS NOT NULL)),
        CHECK (state NOT IN ('PLANNED', 'VERIFIED', 'REJECTED', 'ABANDONED') OR nonce IS NULL),
        CHECK (state NOT IN ('INCLUDED', 'SETTLED', 'REVERTED', 'EXPIRED_DEAD') OR
          (included_hash IS NOT NULL AND included_block IS NOT NULL AND included_block_hash IS NOT NULL)),
        CHECK ((state = 'SETTLED') = (sold IS NOT NULL AND received IS NOT NULL)),
        CHECK (state NOT IN ('REJECTED', 'ABANDONED', 'DISPLACED') OR reason IS NOT NULL)
      )`.execute(db)
    await sql`
      CREATE UNIQUE INDEX one_live_swap_per_wallet ON swap (chain_id, wallet)
      WHERE state IN (${live})`.execute(db)
    await sql`
      CREATE INDEX open_swaps ON swap (created_at)
      WHERE state IN ('PLANNED', 'VERIFIED', ${live})`.execute(db)
    await sql`CREATE INDEX swaps_by_time ON swap (created_at, id)`.execute(db)
    await sql`CREATE INDEX swaps_by_strategy ON swap (strategy, created_at)`.execute(db)
    await sql`CREATE INDEX spending ON swap (chain_id, wallet, sell_token, created_at)`.execute(db)
    await sql`
      CREATE TABLE quote (
        swap_id text PRIMARY KEY REFERENCES swap (id),
        chain_id integer NOT NULL,
        router text NOT NULL,
        quote_id text NOT NULL,
        "authorization" text NOT NULL,
        deadline integer NOT NULL,
        amount_out text NOT NULL,
        minimum text NOT NULL,
        body text NOT NULL,
        checks text NOT NULL,
        simulation text NOT NULL,
        UNIQUE (chain_id, router, quote_id)
      )`.execute(db)
    await sql`
      CREATE TABLE attempt (
        hash text PRIMARY KEY,
        swap_id text NOT NULL REFERENCES swap (id),
        kind text NOT NULL CHECK (kind IN ('SWAP', 'APPROVE', 'CANCEL')),
        chain_id integer NOT NULL,
        wallet text NOT NULL,
        nonce integer NOT NULL,
        raw text NOT NULL,
        "transaction" text NOT NULL,
        created_at bigint NOT NULL,
        sent_at_block integer,
        answer text,
        closed_at_block integer,
        gas_paid text
      )`.execute(db)
    await sql`CREATE INDEX attempts_of_swap ON attempt (swap_id)`.execute(db)
    await sql`
      CREATE UNIQUE INDEX one_purpose_per_nonce ON attempt (chain_id, wallet, nonce)
      WHERE kind <> 'CANCEL'`.execute(db)
    await sql`
      CREATE UNIQUE INDEX one_open_approval_per_wallet ON attempt (chain_id, wallet)
      WHERE kind = 'APPROVE' AND closed_at_block IS NULL`.execute(db)
    await sql`
      CREATE TABLE wallet (
        chain_id integer NOT NULL,
        address text NOT NULL,
        next_nonce integer NOT NULL,
        halted text,
        PRIMARY KEY (chain_id, address)
      )`.execute(db)
    await sql`
      CREATE TABLE decision (
        id integer PRIMARY KEY AUTOINCREMENT,
        strategy text NOT NULL,
        slot bigint NOT NULL,
        at bigint NOT NULL,
        kind text NOT NULL,
        reason text NOT NULL,
        context text NOT NULL,
        decision text NOT NULL
      )`.execute(db)
    await sql`CREATE INDEX decisions_of_strategy ON decision (strategy, id)`.execute(db)
    await sql`
      CREATE TABLE event (
        seq integer PRIMARY KEY AUTOINCREMENT,
        swap_id text NOT NULL,
        at bigint NOT NULL,
        type text NOT NULL,
        facts text NOT NULL
      )`.execute(db)
    await sql`CREATE INDEX events_of_swap ON event (swap_id, seq)`.execute(db)
  },
}
