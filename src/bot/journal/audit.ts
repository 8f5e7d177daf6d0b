import type { Kysely } from 'kysely'
import { genesis, hashOf } from './chain.ts'
import { type LockDifference, lockDifferences } from './lockDifferences.ts'
import { type SwapDifference, swapDifferences } from './swapDifferences.ts'
import type { Tables } from './tables.ts'

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

/** Rows read at a time. */
const page = 1_000

/** Walks the chain from its first entry to its last, or to the first that is wrong; then compares locks and swaps with it. */
export async function verifyAudit(
  db: Kysely<Tables>,
  { wanted, at }: { wanted: string | undefined; at: number },
): Promise<AuditReport> {
  let [count, head, last] = [0, genesis, 0]
  let found = wanted === undefined ? undefined : false
  for (;;) {
    const rows = await db
      .selectFrom('event')
      .selectAll()
      .where('seq', '>', last)
      .orderBy('seq')
      .limit(page)
      .execute()
    for (const row of rows) {
      const { seq, prev, hash } = row
      if (prev !== head) {
        // Numbers are given without gaps: where one is left out, that entry is what is missing.
        const broken =
          seq > last + 1
            ? { seq: last + 1, why: 'it is missing' }
            : { seq, why: 'it does not follow the one before it' }
        return { count, head, broken, found, locks: [], swaps: [] }
      }
      if (hashOf(prev, row) !== hash)
        return {
          count,
          head,
          broken: { seq, why: 'it is not what was written' },
          found,
          locks: [],
          swaps: [],
        }
      count += 1
      head = hash
      last = seq
      if (hash === wanted) found = true
    }
    if (rows.length === page) continue
    return db.transaction().execute(async (trx) => {
      const locks = await lockDifferences(trx, { at })
      const swaps = await swapDifferences(trx)
      return { count, head, broken: undefined, found, locks, swaps }
    })
  }
}

/** Hash of the newest entry: whoever knows it sees later whether the end of the log was cut off. */
export async function auditHead(db: Kysely<Tables>): Promise<string> {
  const row = await db
    .selectFrom('event')
    .select('hash')
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.hash ?? genesis
}
