import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { addTotal } from '../../limits/limits.ts'
import type { Tables } from '../../store/tables.ts'
import { readPlan } from '../../store/text.ts'

/** The right to spend from a journal on a server: a file has a system lock beside it. Times are the server's. */
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

/** Data queried at every look, every end and every start is found without reading what is long over. */
export const indexes: Migration = {
  async up(db: Kysely<never>) {
    await sql`
      CREATE INDEX locks_of_log ON event (seq)
      WHERE type IN ('LOCK_OPENED', 'LOCK_RELEASED')`.execute(db)
    await sql`
      CREATE INDEX open_approvals ON attempt (swap_id)
      WHERE kind = 'APPROVE' AND closed_at_block IS NULL`.execute(db)
    await sql`CREATE INDEX attempts_of_wallet ON attempt (wallet, created_at)`.execute(db)
    await sql`CREATE INDEX attempts_of_nonce ON attempt (chain_id, wallet, nonce)`.execute(db)
    await sql`CREATE INDEX ends_of_strategy ON swap (strategy, updated_at, id)`.execute(db)
    await sql`CREATE INDEX ends_of_wallet ON swap (wallet, updated_at, id)`.execute(db)
    await sql`
      CREATE INDEX swaps_of_pair ON swap (strategy, sell_token, buy_token, created_at)`.execute(db)
    // Limits over time count from the signature since: these answer nothing any more.
    await sql`DROP INDEX spending`.execute(db)
    await sql`DROP INDEX spending_of_wallet`.execute(db)
  },
}

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

/** Settled swaps read at a time. */
const page = 1_000

/**
 * Facts that strategies need of themselves without reading what is long over: all they ever sold, which slots are
 * closed, and what they wrote down last.
 */
export const strategies: Migration = {
  async up(db: Kysely<never>) {
    await sql`
      CREATE TABLE strategy_total (
        strategy text NOT NULL,
        chain_id integer NOT NULL,
        sell_token text NOT NULL,
        buy_token text NOT NULL,
        sell text NOT NULL,
        buy text NOT NULL,
        sold text NOT NULL,
        received text NOT NULL,
        swaps integer NOT NULL,
        PRIMARY KEY (strategy, chain_id, sell_token, buy_token)
      )`.execute(db)
    await sql`
      CREATE TABLE slot (
        strategy text NOT NULL,
        slot bigint NOT NULL,
        upto bigint NOT NULL,
        slots integer NOT NULL,
        state text NOT NULL CHECK (state IN ('done', 'passed', 'missed', 'failed')),
        reason text NOT NULL,
        calendar text,
        at bigint NOT NULL,
        PRIMARY KEY (strategy, slot),
        CHECK (upto >= slot)
      )`.execute(db)
    // Until now the last decision showed how far a calendar had come.
    await sql`
      INSERT INTO slot (strategy, slot, upto, slots, state, reason, at)
      SELECT strategy, slot, slot, 1, CASE kind WHEN 'swap' THEN 'done' ELSE 'passed' END, reason, at
      FROM decision WHERE id IN (SELECT max(id) FROM decision GROUP BY strategy)`.execute(db)
    await sql`
      CREATE TABLE refusal (
        id integer PRIMARY KEY AUTOINCREMENT,
        decision bigint NOT NULL,
        strategy text NOT NULL,
        code text NOT NULL,
        reason text NOT NULL,
        at bigint NOT NULL
      )`.execute(db)
    await sql`CREATE INDEX refusals_of_decision ON refusal (decision, id)`.execute(db)
    await sql`CREATE INDEX refusals_by_time ON refusal (at)`.execute(db)
    await sql`ALTER TABLE decision ADD COLUMN memory text`.execute(db)
    await sql`ALTER TABLE decision ADD COLUMN params_hash text`.execute(db)
    await sql`ALTER TABLE swap ADD COLUMN slot bigint`.execute(db)
    await sql`ALTER TABLE swap ADD COLUMN slot_try integer`.execute(db)
    await sql`CREATE INDEX swaps_of_slot ON swap (strategy, slot) WHERE slot IS NOT NULL`.execute(
      db,
    )
    await sql`CREATE INDEX settled_swaps ON swap (created_at) WHERE state = 'SETTLED'`.execute(db)
    await sql`
      CREATE INDEX settled_of_strategy ON swap (strategy, created_at) WHERE state = 'SETTLED'`.execute(
      db,
    )
    await addEverySettled(db as unknown as Kysely<Tables>)
  },
}

async function addEverySettled(db: Kysely<Tables>): Promise<void> {
  for (let after = ''; ; ) {
    const rows = await db
      .selectFrom('swap')
      .select(['id', 'strategy', 'plan', 'sold', 'received'])
      .where('state', '=', 'SETTLED')
      .where('id', '>', after)
      .orderBy('id')
      .limit(page)
      .execute()
    for (const { strategy, plan, sold, received } of rows) {
      const { sell, buy } = readPlan(plan).intent
      await addTotal(db, {
        strategy,
        sold: { token: sell.token, wei: BigInt(sold ?? 0) },
        received: { token: buy, wei: BigInt(received ?? 0) },
      })
    }
    const last = rows.at(-1)
    if (last === undefined) return
    after = last.id
  }
}

/**
 * The kind of these books, set once when they are begun; and the virtual money of those kept on paper. The database
 * itself keeps a balance from going below zero: no bug above it spends what is not there.
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

/** A person's queries of the past go by instant: decisions, slots that were not done, moves of the ledger. */
export const reading: Migration = {
  async up(db: Kysely<never>) {
    await sql`CREATE INDEX decisions_by_slot ON decision (strategy, slot, id)`.execute(db)
    await sql`CREATE INDEX decisions_by_time ON decision (at, id)`.execute(db)
    await sql`
      CREATE INDEX undone_slots ON slot (at) WHERE state IN ('missed', 'failed')`.execute(db)
    // Every move is one of these; the log has many entries that move nothing.
    await sql`
      CREATE INDEX moves_of_log ON event (seq)
      WHERE type IN ('SETTLED', 'REVERTED', 'EXPIRED_DEAD', 'APPROVED', 'PAID_IN')`.execute(db)
  },
}
