import type { Kysely } from 'kysely'
import type { Clock } from '../../core/clock.ts'
import { allSwapDifferences } from './allSwapDifferences.ts'
import { genesis } from './chain.ts'
import { goneSwaps } from './goneSwaps.ts'
import { type LockDifference, lockDifferences } from './lockDifferences.ts'
import type { SwapDifference } from './swapDifferences.ts'
import type { Tables } from './tables.ts'
import { walkLog } from './walkLog.ts'

/** What walking the chain found. */
export type AuditReport = {
  /** Entries that follow each other as they were written. */
  readonly count: number
  /** Hash of the last of them. */
  readonly head: string
  /** The first entry that does not, and what is wrong with it; undefined where all do. */
  readonly broken: { readonly seq: number; readonly why: string } | undefined
  /** Whether the wanted hash is one of theirs; undefined when none was asked for. */
  readonly found: boolean | undefined
  /** Locks of which the table says something else than the chain; none where the chain itself is broken. */
  readonly locks: readonly LockDifference[]
  /** Swaps of which the tables say something else than the chain. */
  readonly swaps: readonly SwapDifference[]
}

/**
 * Walks the chain from its first entry to its last, or to the first that is wrong; then compares locks and swaps with it.
 * Everything there ever was, a page at a time: others have their turn in between.
 */
export async function verifyLog(
  db: Kysely<Tables>,
  { wanted, clock }: { wanted: string | undefined; clock: Clock },
): Promise<AuditReport> {
  const marks = await db.selectFrom('reconciled').select(['seq', 'hash']).execute()
  let found = wanted === undefined ? undefined : false
  const gone = new Map<string, SwapDifference>()
  const walked = await walkLog(db, {
    after: { seq: 0, hash: genesis },
    marks,
    clock,
    async look(entries) {
      if (entries.some(({ hash }) => hash === wanted)) found = true
      for (const one of await goneSwaps(db, entries)) gone.set(one.swapId, one)
    },
  })
  if (walked.broken !== undefined) return { ...walked, found, locks: [], swaps: [] }
  // Inside one transaction, so that a lock which is opened meanwhile is in both or in neither.
  const locks = await db.transaction().execute((trx) => lockDifferences(trx, { at: clock.now() }))
  return {
    ...walked,
    found,
    locks,
    swaps: [...gone.values(), ...(await allSwapDifferences(db, clock))],
  }
}
