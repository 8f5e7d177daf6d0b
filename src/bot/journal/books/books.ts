import type { Kysely } from 'kysely'
import type { BooksScope, CleanMark, JournalBooks, LogDefects } from '../../books.ts'
import { acceptedBreaks, notedBreaks, walletName } from '../audit/accepted.ts'
import { type AuditReport, defectsIn, verifyLog, verifyLogSince } from '../audit/verifyLog.ts'
import { countedSwaps } from '../limits/limits.ts'
import { appendEvent, lastEntry } from '../log/log.ts'
import { bound, type Store, stamped } from '../store/store.ts'
import type { Tables } from '../store/tables.ts'
import { newestBlock } from '../wallet/newestBlock.ts'
import { bookedAllowances, recordedAllowances } from './bookedAllowances.ts'
import { bookedSwaps, quoteEvents } from './bookedSwaps.ts'
import { adoption, bookedNonces, openNonces, routers } from './nonces.ts'
import { totalDefects, totalsText } from './totals.ts'

/** The journal as {@link JournalBooks}: what is compared with the chain, and nothing that could change it. */
export function createBooks({ db, clock }: Store): JournalBooks {
  const all = async () => defectsOf(await verifyLog(db, { wanted: undefined, clock }), { after: 0 })
  return {
    ...bound(
      { db },
      { newestBlock, adoption, routers, openNonces, totalDefects, accepted: acceptedBreaks },
    ),
    swaps: (scope, page) => bookedSwaps(db, { ...scope, ...page }),
    quoteEvents: (scope, page) => quoteEvents(db, { ...scope, ...page }),
    nonces: (scope, range) => bookedNonces(db, { ...scope, ...range }),
    allowances: (scope) =>
      scope.since === 0 ? bookedAllowances(db, scope) : recordedAllowances(db, scope),
    counted: (scope) => countedSwaps({ db, clock }, scope),
    logDefects: all,
    async recentLogDefects(scope) {
      const mark = await cleanMark(db, scope)
      if (mark === undefined) return all()
      return defectsOf(await verifyLogSince(db, { ...scope, mark, clock }), { after: mark.seq })
    },
  }
}

/** How far books were found in order, to look at. */
export const createReconciliationReader = (store: Store) => bound(store, { mark: cleanMark })

/** The result a reconciliation leaves behind: how far the books were in order, and what was not. */
export const createReconciliation = (store: Store) => ({
  ...bound(store, { mark: cleanMark, setMark: markClean, forgetLimits, position }),
  ...stamped(store, { noteBroken }),
})

const defectsOf = (
  { count, head, accepted, ...report }: AuditReport,
  { after }: { after: number },
): LogDefects => ({
  after,
  entries: count,
  head,
  defects: [...accepted.map(({ defect }) => defect), ...defectsIn(report)],
})

/** How far a wallet's books were found to be in order; undefined before the first time. */
async function cleanMark(
  db: Kysely<Tables>,
  { chainId, wallet }: BooksScope,
): Promise<CleanMark | undefined> {
  return db
    .selectFrom('reconciled')
    .select(['block', 'seq', 'hash', 'at', 'limits', 'totals'])
    .where('chain_id', '=', chainId)
    .where('wallet', '=', wallet.toLowerCase())
    .executeTakeFirst()
}

/** The newest entry of the log, and the totals as of it: what is settled later is added to them. */
function position(db: Kysely<Tables>): Promise<Pick<CleanMark, 'seq' | 'hash' | 'totals'>> {
  return db
    .transaction()
    .execute(async (trx) => ({ ...(await lastEntry(trx)), totals: await totalsText(trx) }))
}

/** Sets it. Only what was compared whole, and found whole, is marked. */
async function markClean(
  db: Kysely<Tables>,
  { chainId, wallet, mark }: BooksScope & { mark: CleanMark },
): Promise<void> {
  const { block, seq, hash, at, limits, totals } = mark
  await db.transaction().execute(async (trx) => {
    const values = { block, seq, hash, at, limits, totals }
    await trx
      .insertInto('reconciled')
      .values({ chain_id: chainId, wallet: wallet.toLowerCase(), ...values })
      .onConflict((conflict) => conflict.columns(['chain_id', 'wallet']).doUpdateSet(values))
      .execute()
  })
}

/** The limits changed: what was taken since the mark is held to no known ones. The next comparison marks those in force. */
async function forgetLimits(
  db: Kysely<Tables>,
  { chainId, wallet }: Omit<BooksScope, 'since'>,
): Promise<void> {
  await db
    .transaction()
    .execute((trx) =>
      trx
        .updateTable('reconciled')
        .set({ limits: '' })
        .where('chain_id', '=', chainId)
        .where('wallet', '=', wallet.toLowerCase())
        .execute(),
    )
}

/** One break as the log keeps it. */
type Broken = {
  readonly key: string
  /** The swap whose end is no longer true; it is never edited: the entry compensates it. */
  readonly swapId: string | undefined
  /** The code of the lock that it opens, whose release accepts it. */
  readonly lock: string | undefined
  readonly facts: Readonly<Record<string, unknown>>
}

/** Notes breaks in the log, each once until a person releases it. */
async function noteBroken(
  db: Kysely<Tables>,
  { breaks, at, ...scope }: BooksScope & { breaks: readonly Broken[]; at: number },
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const noted = new Set((await notedBreaks(trx, scope)).map(({ key }) => key))
    for (const { key, swapId, lock, facts } of breaks) {
      if (noted.has(key)) continue
      noted.add(key)
      await appendEvent(trx, {
        of: walletName(scope),
        at,
        type: 'BROKEN',
        facts: { ...facts, ...(lock !== undefined && { lock }), key },
      })
      if (swapId !== undefined) await appendEvent(trx, { of: swapId, at, type: 'REORGED', facts })
    }
  })
}
