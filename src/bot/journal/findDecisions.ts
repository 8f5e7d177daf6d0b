import type { Kysely, Selectable } from 'kysely'
import type { DecisionTable, Tables } from './tables.ts'

/** A decision as it was written down: what was seen and what was made of it, as JSON. */
export type WrittenDecision = Selectable<DecisionTable>

type DecisionQuery =
  | { readonly id: number }
  /** The latest of the strategy. */
  | { readonly strategy: string; readonly slot?: undefined }
  /** Those of one slot, in the order they were made. */
  | { readonly strategy: string; readonly slot: number }

/** One slot is asked about again while it is postponed; the newest of them are what one wants to see. */
const perSlotMax = 50

/** Decisions by number, by slot, or the latest of a strategy. */
export async function findDecisions(
  db: Kysely<Tables>,
  wanted: DecisionQuery,
): Promise<readonly WrittenDecision[]> {
  const query = db.selectFrom('decision').selectAll()
  if ('id' in wanted) return query.where('id', '=', wanted.id).limit(1).execute()
  const { strategy, slot } = wanted
  const own = query.where('strategy', '=', strategy).orderBy('id', 'desc')
  if (slot === undefined) return own.limit(1).execute()
  const rows = await own.where('slot', '=', slot).limit(perSlotMax).execute()
  return rows.reverse()
}
