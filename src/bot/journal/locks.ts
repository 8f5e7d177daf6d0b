import type { Kysely, Selectable, Transaction } from 'kysely'
import { BallastError } from '../../core/errors.ts'
import type { Lock, NewLock } from '../lock.ts'
import { note } from './change.ts'
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
  return rows.map(read)
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
    const opened = read(row)
    await note(trx, { swapId: nameOf(opened), at, type: 'LOCK_OPENED', facts: opened })
    return { lock: opened, fresh: true }
  })
}

/** A person lets go on: all locks, or one by its id. Returns those that were released. */
export async function releaseLocks(
  db: Kysely<Tables>,
  { id, reason, at }: { id: number | undefined; reason: string; at: number },
): Promise<readonly Lock[]> {
  return db.transaction().execute(async (trx) => {
    const live = await liveLocks(trx, { at })
    const chosen = id === undefined ? live : live.filter((lock) => lock.id === id)
    if (id !== undefined && chosen.length === 0)
      throw new BallastError(`There is no lock ${id}, or it no longer holds.`, {
        code: 'UNKNOWN_LOCK',
        remedy: 'skip',
        fault: 'usage',
        facts: { known: live.map((lock) => lock.id).join(', ') || 'none' },
      })
    for (const lock of chosen) await release(trx, { lock, reason, at })
    // A person has seen what was missing: the next quiet look starts from what is there.
    if (chosen.some(({ code }) => code === 'LEDGER_DRIFT'))
      await trx.deleteFrom('baseline').execute()
    return chosen
  })
}

async function release(
  trx: Transaction<Tables>,
  { lock, reason, at }: { lock: Lock; reason: string; at: number },
): Promise<void> {
  await trx
    .updateTable('lock')
    .set({ released_at: at, released_reason: masked(reason) })
    .where('id', '=', lock.id)
    .where('released_at', 'is', null)
    .execute()
  const { kind, scope, code } = lock
  const facts = { id: lock.id, kind, scope, code, reason }
  await note(trx, { swapId: nameOf(lock), at, type: 'LOCK_RELEASED', facts })
}

const nameOf = ({ id }: Lock) => `lock ${id}`

function read(row: Selectable<LockTable>): Lock {
  const { id, kind, scope, code, reason, opened_at, expires_at } = row
  return { id, kind, scope, code, reason, openedAt: opened_at, expiresAt: expires_at ?? undefined }
}
