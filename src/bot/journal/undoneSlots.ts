import { type Kysely, type Selectable, sql } from 'kysely'
import type { SlotTable, Tables } from './tables.ts'

/** What was to be done and was not: slots that were missed or failed, written down since then, the newest first. */
export async function missedAndFailedSlots(
  db: Kysely<Tables>,
  { since, limit }: { readonly since: number; readonly limit: number },
): Promise<readonly Selectable<SlotTable>[]> {
  return (
    db
      .selectFrom('slot')
      .selectAll()
      // In the words of the index: as parameters no partial index has them.
      .where(sql<boolean>`state IN ('missed', 'failed')`)
      .where('at', '>=', since)
      .orderBy('at', 'desc')
      .limit(limit)
      .execute()
  )
}
