import { type Kysely, sql } from 'kysely'
import type { Tables } from '../store/tables.ts'

/** The books in numbers, for display: swaps and calendar slots by state, and what gas cost in all, in wei as a double. */
export async function countBooks(db: Kysely<Tables>) {
  const swaps = await db
    .selectFrom('swap')
    .select(({ fn }) => ['state', fn.countAll<number>().as('count')])
    .groupBy('state')
    .execute()
  const slots = await db
    .selectFrom('slot')
    .select(({ fn }) => ['state', fn.sum<number>('slots').as('count')])
    .groupBy('state')
    .execute()
  // Integers in text outgrow those of SQLite.
  const paid = sql<number | null>`sum(CAST(gas_paid AS double precision))`.as('wei')
  const bySwaps = await db.selectFrom('swap').select(paid).executeTakeFirst()
  // Of approvals and cancellations.
  const beside = await db.selectFrom('attempt').select(paid).executeTakeFirst()
  const counted = (rows: readonly { state: string; count: number }[]) =>
    new Map(rows.map(({ state, count }) => [state, Number(count)]))
  return {
    swaps: counted(swaps),
    slots: counted(slots),
    gasPaidWei: (bySwaps?.wei ?? 0) + (beside?.wei ?? 0),
  }
}
