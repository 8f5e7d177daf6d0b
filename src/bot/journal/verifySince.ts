import type { Kysely } from 'kysely'
import type { Clock } from '../../core/clock.ts'
import type { Address } from '../../core/token.ts'
import type { CleanMark } from '../books.ts'
import type { AuditReport } from './audit.ts'
import { genesis } from './chain.ts'
import { goneSwaps } from './goneSwaps.ts'
import type { LogEntry } from './lastEntry.ts'
import { lockDifferences } from './lockDifferences.ts'
import { openIds } from './openIds.ts'
import { recentIds } from './recentIds.ts'
import { type SwapDifference, swapDifferences, swapsPerPage } from './swapDifferences.ts'
import type { Tables } from './tables.ts'
import { walkLog } from './walkLog.ts'

/**
 * `verifyAudit` from a mark on: what came before it was found in order when it was set, and its hash says that this is
 * still the log it was. Swaps are compared where the log tells of them since, where they changed since, and where they
 * are open.
 */
export async function verifyLogSince(
  db: Kysely<Tables>,
  {
    mark,
    wallet,
    chainId,
    clock,
  }: { mark: CleanMark; chainId: number; wallet: Address; clock: Clock },
): Promise<AuditReport> {
  const after = await entryBefore(db, mark)
  const ids = new Set([
    ...(await openIds(db)),
    ...(await recentIds(db, { chainId, wallet, since: mark.at })),
  ])
  const gone = new Map<string, SwapDifference>()
  const { count, head, broken } = await walkLog(db, {
    after,
    marks: [mark],
    clock,
    async look(entries) {
      const since = entries.filter(({ seq }) => seq > mark.seq)
      for (const one of await goneSwaps(db, since)) gone.set(one.swapId, one)
      for (const { swap_id } of since) ids.add(swap_id)
    },
  })
  const report = { count: Math.max(0, count - (mark.seq - after.seq)), head, found: undefined }
  if (broken !== undefined) return { ...report, broken, locks: [], swaps: [] }
  // Inside one transaction, so that a lock which is opened meanwhile is in both or in neither.
  const locks = await db.transaction().execute((trx) => lockDifferences(trx, { at: clock.now() }))
  const swaps = [...gone.values()]
  const all = [...ids]
  for (let from = 0; from < all.length; from += swapsPerPage)
    swaps.push(...(await swapDifferences(db, all.slice(from, from + swapsPerPage))))
  return { ...report, broken, locks, swaps }
}

/** What the marked entry follows, by its own word: whether that is true is in its hash. */
async function entryBefore(db: Kysely<Tables>, { seq }: LogEntry): Promise<LogEntry> {
  const row = await db.selectFrom('event').select('prev').where('seq', '=', seq).executeTakeFirst()
  return row === undefined
    ? { seq: Math.max(0, seq - 1), hash: genesis }
    : { seq: seq - 1, hash: row.prev }
}
