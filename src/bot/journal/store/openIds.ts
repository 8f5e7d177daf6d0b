import { type Kysely, sql } from 'kysely'
import type { Address } from '../../../core/token.ts'
import { openStates } from '../../state.ts'
import { prepared } from './prepared.ts'
import type { Tables } from './tables.ts'

const open = sql.raw(openStates.map((state) => `'${state}'`).join(', '))

/**
 * Swaps that are not decided yet. A query of its own, in the words of the index over those: with parameters, or beside
 * another condition, SQLite would read every swap there ever was.
 */
export async function openIds(db: Kysely<Tables>): Promise<string[]> {
  const { rows } = await selectOpen(db, {})
  return rows.map(({ id }) => id)
}

const selectOpen = prepared((db) =>
  db.selectFrom('swap').select('id').where(sql<boolean>`state IN (${open})`),
)

const selectApproving = prepared((db) =>
  db
    .selectFrom('attempt')
    .select('swap_id')
    .where('kind', '=', sql.lit('APPROVE'))
    .where('closed_at_block', 'is', null),
)

/** Swaps that are not decided yet, oldest first; a closed one whose approval is still open among them. */
export async function openSwaps(db: Kysely<Tables>): Promise<readonly string[]> {
  const { rows: approving } = await selectApproving(db, {})
  const ids = [...(await openIds(db)), ...approving.map(({ swap_id }) => swap_id)]
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('swap')
    .select('id')
    .where('id', 'in', ids)
    .orderBy('created_at')
    .execute()
  return rows.map(({ id }) => id)
}

/**
 * Swaps of a wallet that changed since. A query of its own: beside another condition every swap there ever was would be
 * read.
 */
export async function recentIds(
  db: Kysely<Tables>,
  { chainId, wallet, since }: { chainId: number; wallet: Address; since: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('swap')
    .select('id')
    .where('wallet', '=', wallet.toLowerCase())
    .where('updated_at', '>=', since)
    .where('chain_id', '=', chainId)
    .execute()
  return rows.map(({ id }) => id)
}
