import type { Kysely } from 'kysely'
import type { Tables } from './tables.ts'

/** Ids of the swaps that a strategy planned for one slot, in the order of its intents. */
export async function swapsOfSlot(
  db: Kysely<Tables>,
  { strategy, slot }: { readonly strategy: string; readonly slot: number },
): Promise<readonly string[]> {
  const begin = `${strategy}:${slot}:`
  const rows = await db
    .selectFrom('swap')
    .select(['id', 'created_at'])
    .where('key', '>=', begin)
    // The character after the colon: whatever else begins with it is one of these.
    .where('key', '<', `${strategy}:${slot};`)
    .orderBy('key')
    .execute()
  return rows.map(({ id }) => id)
}
