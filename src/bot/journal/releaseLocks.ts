import type { Kysely, Transaction } from 'kysely'
import { BallastError } from '../../core/errors.ts'
import type { Lock } from '../lock.ts'
import { appendEvent } from './appendEvent.ts'
import { masked } from './masked.ts'
import { releasableLocks } from './releasable.ts'
import type { Tables } from './tables.ts'

/**
 * A person lets go on: all locks, or one by its id. Returns those that were released. One that is gone from
 * the table, and of which the log says that it holds, is released like any other: a person has seen that.
 */
export async function releaseLocks(
  db: Kysely<Tables>,
  { id, reason, at }: { id: number | undefined; reason: string; at: number },
): Promise<readonly Lock[]> {
  return db.transaction().execute(async (trx) => {
    const live = await releasableLocks(trx, { at })
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
  await appendEvent(trx, { swapId: `lock ${lock.id}`, at, type: 'LOCK_RELEASED', facts })
}
