import type { Transaction } from 'kysely'
import { display, foreignMax } from '../../core/display.ts'
import { canonicalJson } from '../../core/json.ts'
import { genesis, chainHash } from './chain.ts'
import { masked } from './masked.ts'
import type { Tables } from './tables.ts'

/**
 * Appends to the log, chained to the entry before it.
 *
 * Only inside a transaction: it holds the write lock from its begin, so no other process writes between the two.
 */
export async function appendEvent(
  trx: Transaction<Tables>,
  { swapId, at, type, facts }: { swapId: string; at: number; type: string; facts: object },
): Promise<void> {
  const last = await trx
    .selectFrom('event')
    .select(['seq', 'hash'])
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst()
  const prev = last?.hash ?? genesis
  const told = type === 'PLANNED' ? { ...facts, plan: await planOf(trx, swapId) } : facts
  const entry = {
    seq: (last?.seq ?? 0) + 1,
    swap_id: swapId,
    at,
    type,
    // Whoever reads the log reads it in a terminal.
    facts: canonicalJson(told, (text) => display(masked(text), foreignMax)),
  }
  await trx
    .insertInto('event')
    .values({ ...entry, prev, hash: chainHash(prev, entry) })
    .execute()
}

/** A plan's entry carries the plan: its row was written in this very transaction. */
async function planOf(trx: Transaction<Tables>, swapId: string): Promise<unknown> {
  const { plan } = await trx
    .selectFrom('swap')
    .select('plan')
    .where('id', '=', swapId)
    .executeTakeFirstOrThrow()
  return JSON.parse(plan)
}
