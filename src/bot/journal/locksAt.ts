import type { Kysely } from 'kysely'
import type { Lock } from '../lock.ts'
import { readLock } from './locks.ts'
import type { Tables } from './tables.ts'

/** Every lock that held at an instant, released since or not, oldest first. */
export async function locksAt(db: Kysely<Tables>, at: number): Promise<readonly Lock[]> {
  const rows = await db
    .selectFrom('lock')
    .selectAll()
    .where('opened_at', '<=', at)
    .where((eb) => eb.or([eb('released_at', 'is', null), eb('released_at', '>', at)]))
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', at)]))
    .orderBy('id')
    .execute()
  return rows.map(readLock)
}
