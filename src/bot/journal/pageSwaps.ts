import type { Kysely } from 'kysely'
import type { Dossier } from '../dossier.ts'
import { dossiers } from './dossiers.ts'
import type { Tables } from './tables.ts'

/** Where a page begins: after this swap of the page before. */
export type SwapPage = {
  readonly after?: { readonly createdAt: number; readonly id: string } | undefined
  readonly limit: number
  /** Planned at this instant or later, and before that one; milliseconds since the epoch. */
  readonly since?: number | undefined
  readonly until?: number | undefined
  readonly strategy?: string | undefined
}

/** Swaps in the order in which they were planned, a page of them. */
export async function pageSwaps(
  db: Kysely<Tables>,
  { after, limit, since, until, strategy }: SwapPage,
): Promise<readonly Dossier[]> {
  let query = db.selectFrom('swap').select('id')
  if (strategy !== undefined) query = query.where('strategy', '=', strategy)
  if (until !== undefined) query = query.where('created_at', '<', until)
  const from = after?.createdAt ?? since
  if (from !== undefined) query = query.where('created_at', '>=', from)
  if (after !== undefined)
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('created_at', 'id'), '>', tuple(after.createdAt, after.id)),
    )
  const rows = await query.orderBy('created_at').orderBy('id').limit(limit).execute()
  return dossiers(
    db,
    rows.map(({ id }) => id),
  )
}
