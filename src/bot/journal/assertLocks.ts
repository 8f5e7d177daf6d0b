import type { Kysely } from 'kysely'
import { BallastError } from '../../core/errors.ts'
import { lockDifferences } from './lockDifferences.ts'
import type { Tables } from './tables.ts'

/** Throws LOCKS_CHANGED where the locks are not those that the log says: somebody else wrote the file. */
export async function assertLocks(db: Kysely<Tables>, { at }: { at: number }): Promise<void> {
  const differences = await db.transaction().execute((trx) => lockDifferences(trx, { at }))
  if (differences.length === 0) return
  throw new BallastError('The locks of the journal are not what its log says: nothing is begun.', {
    code: 'LOCKS_CHANGED',
    remedy: 'halt',
    fault: 'locked',
    facts: {
      differences: differences
        .map(
          ({ lock, why }) => `lock ${lock.id} (${lock.kind} ${lock.scope}, ${lock.code}): ${why}`,
        )
        .join('; '),
      next: 'find out who changed the journal, then: ballast resume --reason "…"',
    },
  })
}
