import type { Kysely } from 'kysely'
import type { Tables } from './tables.ts'

/** An entry of the log about one swap. */
export type LogRecord = {
  readonly seq: number
  readonly at: number
  readonly type: string
  readonly facts: Readonly<Record<string, unknown>>
}

/** What the log says of one swap, from its plan to its end. */
export async function recordsOfSwap(db: Kysely<Tables>, swapId: string): Promise<readonly LogRecord[]> {
  const rows = await db
    .selectFrom('event')
    .select(['seq', 'at', 'type', 'facts'])
    .where('swap_id', '=', swapId)
    .orderBy('seq')
    .execute()
  return rows.map(({ facts, ...entry }) => ({ ...entry, facts: JSON.parse(facts) }))
}
