import type { Kysely } from 'kysely'
import type { Tables } from '../store/tables.ts'
import { rowMs } from './looks.ts'

/** The slots in a range that a strategy decided on, whatever came of it, in order. */
export async function decidedSlots(
  db: Kysely<Tables>,
  { strategy, from, to }: { readonly strategy: string; readonly from: number; readonly to: number },
): Promise<readonly number[]> {
  const rows = await db
    .selectFrom('decision')
    .select(['slot', 'last_slot'])
    .distinct()
    .where('strategy', '=', strategy)
    .where('slot', '<=', to)
    // A row that counts several looks began so long before the last of them at most.
    .where('slot', '>', from - rowMs)
    .execute()
  const slots = rows.flatMap(({ slot, last_slot }) => [slot, last_slot ?? slot])
  return [...new Set(slots)].filter((slot) => slot >= from && slot <= to).sort((a, b) => a - b)
}
