import type { Kysely } from 'kysely'
import type { Tables } from '../store/tables.ts'
import { reviveDecision } from './revive.ts'

/** The number of swaps in the last decision to swap of a slot; 0 where there is none, or only an archive has its text. */
export async function wantedSwaps(
  db: Kysely<Tables>,
  { strategy, slot }: { readonly strategy: string; readonly slot: number },
): Promise<number> {
  const last = await db
    .selectFrom('decision')
    .select('decision')
    .where('strategy', '=', strategy)
    .where('slot', '=', slot)
    .where('kind', '=', 'swap')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (last === undefined || last.decision === '') return 0
  const decision = reviveDecision(last.decision)
  return decision.kind === 'swap' ? decision.intents.length : 0
}
