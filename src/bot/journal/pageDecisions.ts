import type { Kysely } from 'kysely'
import type { WrittenDecision } from './findDecisions.ts'
import type { Tables } from './tables.ts'

export type DecisionPage = {
  readonly after?: { readonly at: number; readonly id: number } | undefined
  readonly limit: number
  /** Made at this instant or later, and before that one; milliseconds since the epoch. */
  readonly since?: number | undefined
  readonly until?: number | undefined
}

/** Decisions in the order in which they were made, a page of them. */
export async function pageDecisions(
  db: Kysely<Tables>,
  { after, limit, since, until }: DecisionPage,
): Promise<readonly WrittenDecision[]> {
  let query = db.selectFrom('decision').selectAll()
  if (until !== undefined) query = query.where('at', '<', until)
  const from = after?.at ?? since
  if (from !== undefined) query = query.where('at', '>=', from)
  if (after !== undefined)
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('at', 'id'), '>', tuple(after.at, after.id)),
    )
  return query.orderBy('at').orderBy('id').limit(limit).execute()
}
