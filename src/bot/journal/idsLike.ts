import type { Kysely } from 'kysely'
import type { Tables } from './tables.ts'

/** So many are enough to choose from. */
const few = 5

/** Ids of swaps that begin like this, and those that would stand beside it in an alphabetical list. */
export async function idsLike(
  db: Kysely<Tables>,
  text: string,
): Promise<{ readonly beginning: readonly string[]; readonly beside: readonly string[] }> {
  const ids = db.selectFrom('swap').select('id')
  const after = await ids.where('id', '>=', text).orderBy('id').limit(few).execute()
  const before = await ids.where('id', '<', text).orderBy('id', 'desc').limit(1).execute()
  const beginning = after.map(({ id }) => id).filter((id) => id.startsWith(text))
  const beside = [...before, ...after.slice(0, 1)].map(({ id }) => id)
  return { beginning, beside }
}
