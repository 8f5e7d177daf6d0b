import { type Kysely, sql } from 'kysely'
import { openStates } from '../state.ts'
import type { Tables } from './tables.ts'

const open = sql.raw(openStates.map((state) => `'${state}'`).join(', '))

/**
 * Swaps that are not decided yet. Asked by itself, and in the very words of the index over those: as parameters, or
 * beside another condition, it is a question that SQLite answers by reading every swap there ever was.
 */
export async function openIds(db: Kysely<Tables>): Promise<string[]> {
  const rows = await db
    .selectFrom('swap')
    .select('id')
    .where(sql<boolean>`state IN (${open})`)
    .execute()
  return rows.map(({ id }) => id)
}
