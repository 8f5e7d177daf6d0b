import type { Kysely } from 'kysely'
import { finalStates, openStates } from '../state.ts'
import type { SwapDifference } from './swapDifferences.ts'
import type { EventTable, Tables } from './tables.ts'

const states: readonly string[] = [...openStates, ...finalStates]

/** Swaps that these entries of the log tell of, and that are not in the table. A swap is never deleted. */
export async function goneSwaps(
  db: Kysely<Tables>,
  entries: readonly Pick<EventTable, 'swap_id' | 'type'>[],
): Promise<readonly SwapDifference[]> {
  const told = new Set(
    entries.flatMap(({ swap_id, type }) => (states.includes(type) ? swap_id : [])),
  )
  if (told.size === 0) return []
  const rows = await db
    .selectFrom('swap')
    .select('id')
    .where('id', 'in', [...told])
    .execute()
  const kept = new Set(rows.map(({ id }) => id))
  return [...told]
    .filter((swapId) => !kept.has(swapId))
    .map((swapId) => ({ swapId, why: 'the log has it, and it is gone from the table' }))
}
