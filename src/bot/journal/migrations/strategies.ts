import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { readPlan } from '../planText.ts'
import { addTotal } from '../strategyTotals.ts'
import type { Tables } from '../tables.ts'

/** So many settled swaps are read at a time. */
const page = 1_000

/**
 * What strategies need to know of themselves without anybody reading what is long over: all they ever sold, which slots
 * are closed, and what they wrote down last.
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
    // Until now the last decision was what said how far a calendar had come.
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
