import type { Kysely, Selectable } from 'kysely'
import type { SlotTable, Tables } from './tables.ts'

export type SlotPage = {
  readonly after?: { readonly strategy: string; readonly slot: number } | undefined
  readonly limit: number
  /** Due at this instant or later, and before that one; milliseconds since the epoch. */
  readonly since?: number | undefined
  readonly until?: number | undefined
  readonly strategy?: string | undefined
}

/** Calendar slots that are over, strategy by strategy and in the order they were due, a page of them. */
export async function pageSlots(
  db: Kysely<Tables>,
  { after, limit, since, until, strategy }: SlotPage,
): Promise<readonly Selectable<SlotTable>[]> {
  let query = db.selectFrom('slot').selectAll()
  if (strategy !== undefined) query = query.where('strategy', '=', strategy)
  // A run of missed ones is in where any of it is.
  if (since !== undefined) query = query.where('upto', '>=', since)
  if (until !== undefined) query = query.where('slot', '<', until)
  if (after !== undefined)
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('strategy', 'slot'), '>', tuple(after.strategy, after.slot)),
    )
  return query.orderBy('strategy').orderBy('slot').limit(limit).execute()
}
