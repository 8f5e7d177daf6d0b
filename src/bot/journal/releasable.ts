import type { Kysely } from 'kysely'
import type { Lock } from '../lock.ts'
import { lockDifferences } from './lockDifferences.ts'
import { liveLocks } from './locks.ts'
import type { Tables } from './tables.ts'

/** What a person can release: the locks that hold, and those that only the log says hold. */
export async function releasableLocks(
  db: Kysely<Tables>,
  { at }: { at: number },
): Promise<readonly Lock[]> {
  const live = await liveLocks(db, { at })
  const told = (await lockDifferences(db, { at })).map(({ lock }) => lock)
  return [...live, ...told.filter((lock) => !live.some(({ id }) => id === lock.id))]
}
