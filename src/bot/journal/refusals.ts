import type { Kysely } from 'kysely'
import { masked } from './masked.ts'
import type { Tables } from './tables.ts'

/** Why an intent of a decision never became a swap: refused before it was planned. */
export type Refusal = {
  /** The decision's number. */
  readonly decision: number
  readonly strategy: string
  readonly code: string
  readonly reason: string
}

/** What was wished for and refused is as much of the story as what was done. */
export async function noteRefusal(
  db: Kysely<Tables>,
  { at, reason, ...refusal }: Refusal & { at: number },
): Promise<void> {
  const row = { ...refusal, reason: masked(reason), at }
  await db.transaction().execute((trx) => trx.insertInto('refusal').values(row).execute())
}

/** Those of one decision, in the order of its intents. */
export async function refusalsOf(
  db: Kysely<Tables>,
  decision: number,
): Promise<readonly { readonly code: string; readonly reason: string }[]> {
  return db
    .selectFrom('refusal')
    .select(['code', 'reason'])
    .where('decision', '=', decision)
    .orderBy('id')
    .execute()
}

/** How many there were of each code in a span, the most frequent first. */
export async function countRefusals(
  db: Kysely<Tables>,
  {
    since = 0,
    until = Number.MAX_SAFE_INTEGER,
    strategy,
  }: {
    readonly since?: number | undefined
    readonly until?: number | undefined
    readonly strategy?: string | undefined
  },
): Promise<readonly { readonly code: string; readonly count: number }[]> {
  let query = db
    .selectFrom('refusal')
    .select(({ fn }) => ['code', fn.countAll<number | string>().as('count')] as const)
    .where('at', '>=', since)
    .where('at', '<', until)
  if (strategy !== undefined) query = query.where('strategy', '=', strategy)
  const rows = await query.groupBy('code').execute()
  return rows
    .map(({ code, count }) => ({ code, count: Number(count) }))
    .sort((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1))
}
