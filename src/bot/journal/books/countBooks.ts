import { type Kysely, sql } from 'kysely'
import type { Tables } from '../store/tables.ts'

/**
 * The books in numbers, for display, as far as they changed after an instant: swaps and calendar slots by state, and what
 * gas cost in all, in wei as a double.
 */
export async function countBooks(db: Kysely<Tables>, since = 0) {
  const swaps = await db
    .selectFrom('swap')
    .select(({ fn }) => ['state', fn.countAll<number>().as('count')])
    .where('updated_at', '>', since)
    .groupBy('state')
    .execute()
  const slots = await db
    .selectFrom('slot')
    .select(({ fn }) => ['state', fn.sum<number>('slots').as('count')])
    .where('at', '>', since)
    .groupBy('state')
    .execute()
  // Integers in text outgrow those of SQLite.
  const paid = sql<number | null>`sum(CAST(gas_paid AS double precision))`.as('wei')
  const bySwaps = await db
    .selectFrom('swap')
    .select(paid)
    .where('updated_at', '>', since)
    .executeTakeFirst()
  // Of approvals and cancellations.
  const beside = await db
    .selectFrom('attempt')
    .select(paid)
    .where('created_at', '>', since)
    .executeTakeFirst()
  const counted = (rows: readonly { state: string; count: number }[]) =>
    new Map(rows.map(({ state, count }) => [state, Number(count)]))
  return {
    swaps: counted(swaps),
    slots: counted(slots),
    gasPaidWei: (bySwaps?.wei ?? 0) + (beside?.wei ?? 0),
  }
}
