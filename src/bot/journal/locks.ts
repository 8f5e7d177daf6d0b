import type { Kysely, Selectable } from 'kysely'
import type { Lock, NewLock } from '../lock.ts'
import { appendEvent } from './appendEvent.ts'
import { masked } from './masked.ts'
import type { LockTable, Tables } from './tables.ts'

/** Locks that hold at `at`: neither released nor expired, oldest first. */
export async function liveLocks(
  db: Kysely<Tables>,
  { at }: { at: number },
): Promise<readonly Lock[]> {
  const rows = await db
    .selectFrom('lock')
    .selectAll()
    .where('released_at', 'is', null)
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', at)]))
    .orderBy('id')
    .execute()
  return rows.map(readLock)
}

/** Opens a lock and says which; one of the same kind, scope and code that holds already is left as it is. */
export async function openLock(
  db: Kysely<Tables>,
  { lock, at }: { lock: NewLock; at: number },
): Promise<{ readonly lock: Lock; readonly fresh: boolean }> {
  return db.transaction().execute(async (trx) => {
    const same = (await liveLocks(trx, { at })).find(
      ({ kind, scope, code }) => kind === lock.kind && scope === lock.scope && code === lock.code,
    )
    if (same !== undefined) return { lock: same, fresh: false }
    const { kind, scope, code, reason, expiresAt } = lock
    const row = await trx
      .insertInto('lock')
      .values({
        kind,
        scope,
        code,
        reason: masked(reason),
        opened_at: at,
        expires_at: expiresAt ?? null,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    const opened = readLock(row)
    await appendEvent(trx, { swapId: `lock ${opened.id}`, at, type: 'LOCK_OPENED', facts: opened })
    return { lock: opened, fresh: true }
  })
}

/** A lock as the rest of the bot knows it. */
export function readLock(row: Selectable<LockTable>): Lock {
  const { id, kind, scope, code, reason, opened_at, expires_at } = row
  return { id, kind, scope, code, reason, openedAt: opened_at, expiresAt: expires_at ?? undefined }
}
