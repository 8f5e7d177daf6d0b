import { type Kysely, sql } from 'kysely'
import { z } from 'zod'
import { display, foreignMax } from '../../core/display.ts'
import type { Lock } from '../lock.ts'
import { liveLocks } from './locks.ts'
import type { Tables } from './tables.ts'

/** A lock of which the table says one thing and the log another. */
export type LockDifference = { readonly lock: Lock; readonly why: string }

const openedFacts = z.object({
  id: z.int(),
  kind: z.enum(['pause', 'drain', 'halt', 'breaker']),
  scope: z.string(),
  code: z.string(),
  reason: z.string(),
  openedAt: z.number(),
  expiresAt: z.number().optional(),
})

/**
 * Compares the locks that hold with those that the log says were opened and neither released nor expired, oldest first.
 *
 * Inside one transaction, so that a lock which is opened meanwhile is in both or in neither. What the log itself is
 * worth is the chain's matter: `verifyAudit`.
 */
export async function lockDifferences(
  db: Kysely<Tables>,
  { at }: { at: number },
): Promise<readonly LockDifference[]> {
  const told = await locksOfLog(db, { at })
  const live = await liveLocks(db, { at })
  const differences = told.flatMap((lock): LockDifference[] => {
    const held = live.find(({ id }) => id === lock.id)
    if (held === undefined)
      return [{ lock, why: 'the log says it holds, and it is gone from the table' }]
    return sameLock(lock, held) ? [] : [{ lock, why: 'the table says something else than the log' }]
  })
  const strange = live
    .filter(({ id }) => !told.some((lock) => lock.id === id))
    .map((lock) => ({ lock, why: 'it holds, and the log does not say that it was opened' }))
  return [...differences, ...strange]
}

async function locksOfLog(db: Kysely<Tables>, { at }: { at: number }): Promise<readonly Lock[]> {
  const rows = await db
    .selectFrom('event')
    .select(['swap_id', 'type', 'facts'])
    // In the words of the index over these alone: the log has everything else as well.
    .where(sql<boolean>`type IN ('LOCK_OPENED', 'LOCK_RELEASED')`)
    .orderBy('seq')
    .execute()
  const holding = new Map<string, Lock>()
  for (const { swap_id, type, facts } of rows) {
    if (type === 'LOCK_RELEASED') holding.delete(swap_id)
    else {
      const { expiresAt, ...lock } = openedFacts.parse(JSON.parse(facts))
      holding.set(swap_id, { ...lock, expiresAt })
    }
  }
  return [...holding.values()].filter(({ expiresAt }) => expiresAt === undefined || expiresAt > at)
}

/** Whether it forbids the same for as long. The log keeps texts as a terminal shows them. */
function sameLock(told: Lock, held: Lock): boolean {
  const shown = (text: string) => display(text, foreignMax)
  return (
    told.kind === held.kind &&
    told.scope === shown(held.scope) &&
    told.code === shown(held.code) &&
    told.expiresAt === held.expiresAt
  )
}
