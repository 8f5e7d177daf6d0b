import type { Kysely, Selectable } from 'kysely'
import type { Clock } from '../../../core/clock.ts'
import type { Address } from '../../../core/token.ts'
import type { CleanMark } from '../../books.ts'
import { archivedUpto, archivesOf, createOutlineCheck, isWritten } from '../archive/archived.ts'
import { verifyArchives } from '../archive/verifyArchives.ts'
import { type LockDifference, lockDifferences } from '../locks/locks.ts'
import {
  chainHash,
  genesis,
  type LogEntry,
  lastEntry,
  lastEntryBefore,
  newestEntries,
  recordsOfSwap,
} from '../log/log.ts'
import { inTransaction } from '../store/inTransaction.ts'
import { openIds, recentIds } from '../store/openIds.ts'
import { bound, type Store } from '../store/store.ts'
import type { EventTable, Tables } from '../store/tables.ts'
import { acceptedDefects } from './accepted.ts'
import { assertConsistent } from './assertConsistent.ts'
import {
  allSwapDifferences,
  fingerprint,
  goneSwaps,
  type SwapDifference,
  swapDifferences,
  swapsPerPage,
} from './swapDifferences.ts'

/** The log of a journal, and what it is worth. */
export const createJournalLog = ({ db, clock, archives }: Store) => ({
  ...bound({ db }, { lastEntry, lastEntryBefore, newest: newestEntries }),
  ofSwap: (swapId: string) => recordsOfSwap({ db, archives }, swapId),
  /** Hash of the newest entry: kept elsewhere, it shows later whether the end of the log was cut off. */
  head: async (): Promise<string> => (await lastEntry(db)).hash,
  verify: (wanted: string | undefined) => verifyLog(db, { wanted, clock }),
  verifyArchives: (at: Omit<Parameters<typeof verifyArchives>[1], 'clock'>) =>
    verifyArchives(db, { ...at, clock }),
  /** Throws JOURNAL_INCONSISTENT where its end, or what the journal has open, contradicts itself. */
  assertConsistent: () => db.transaction().execute((trx) => assertConsistent(trx)),
})

/** Result of walking the chain. */
export type AuditReport = {
  /** Entries that follow each other as they were written. */
  readonly count: number
  /** Hash of the last of them. */
  readonly head: string
  /** The first entry that does not and that no person accepted; undefined where there is none. */
  readonly broken: BrokenEntry | undefined
  /** Whether the wanted hash is one of theirs; undefined when none was requested. */
  readonly found: boolean | undefined
  /** Locks on which the table differs from the chain; none where the chain itself is broken. */
  readonly locks: readonly LockDifference[]
  /** Swaps on which the tables differ from the chain. */
  readonly swaps: readonly SwapDifference[]
  /** Exactly these defects a person has looked at, with the reason that was given: they are in none of the lists above. */
  readonly accepted: readonly { readonly defect: string; readonly reason: string }[]
}

/** An entry that is not what was written. The digest is of what stands there now: another change has another one. */
type BrokenEntry = { readonly seq: number; readonly why: string; readonly digest: string }

/** The defects of a report, a text each: the same for as long as exactly the same is wrong. */
export const defectsIn = ({
  broken,
  locks,
  swaps,
}: Pick<AuditReport, 'broken' | 'locks' | 'swaps'>): readonly string[] => [
  ...(broken === undefined ? [] : [entryDefect(broken)]),
  ...locks.map(lockDefect),
  ...swaps.map(swapDefect),
]

const entryDefect = ({ seq, why, digest }: BrokenEntry) => `entry ${seq}: ${why} [${digest}]`
const lockDefect = ({ lock, why }: LockDifference) => `lock ${lock.id}: ${why}`
const swapDefect = ({ swapId, why, digest }: SwapDifference) =>
  `swap ${swapId}: ${why}${digest === undefined ? '' : ` [${digest}]`}`

/**
 * Walks the chain from its first entry to its last, or to the first that is wrong; then compares locks and swaps with it.
 * Everything there ever was, a page at a time: others have their turn in between.
 */
export async function verifyLog(
  db: Kysely<Tables>,
  { wanted, clock }: { wanted: string | undefined; clock: Clock },
): Promise<AuditReport> {
  const archives = await archivesOf(db)
  const marks = [
    ...(await db.selectFrom('reconciled').select(['seq', 'hash']).execute()),
    ...archives.flatMap(({ upto, hash }) => (upto === 0 ? [] : { seq: upto, hash })),
  ]
  let found = wanted === undefined ? undefined : false
  const report = await audit(db, {
    after: { seq: 0, hash: genesis },
    marks,
    clock,
    archived: Math.max(0, ...archives.map(({ upto }) => upto)),
    outlines: createOutlineCheck(archives),
    look: (entries) => {
      if (entries.some(({ hash }) => hash === wanted)) found = true
      return entries
    },
    compare: () => allSwapDifferences(db, clock),
  })
  return { ...report, found }
}

/**
 * `verifyLog` from a mark on: the entries before it were found in order when it was set, and its hash proves that this
 * is still the same log. Swaps are compared where the log names them since, where they changed since, and where they
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
  const report = await audit(db, {
    after,
    marks: [mark],
    archived: await archivedUpto(db),
    // It begins in the middle of them: they are for a look at everything, which a bot has once a day.
    outlines: createOutlineCheck([]),
    clock,
    look: (entries) => {
      const since = entries.filter(({ seq }) => seq > mark.seq)
      for (const { swap_id } of since) ids.add(swap_id)
      return since
    },
    async compare() {
      const [swaps, all]: [SwapDifference[], string[]] = [[], [...ids]]
      for (let from = 0; from < all.length; from += swapsPerPage)
        swaps.push(...(await swapDifferences(db, all.slice(from, from + swapsPerPage))))
      return swaps
    },
  })
  const count = Math.max(0, report.count - (mark.seq - after.seq))
  return { ...report, count, found: undefined }
}

type Stretch = {
  readonly after: LogEntry
  readonly marks: readonly LogEntry[]
  /** The last entry whose facts an archive may have. */
  readonly archived: number
  readonly outlines: ReturnType<typeof createOutlineCheck>
  readonly clock: Clock
  /** Is given what is in order, a page at a time; of which of it the swaps must be there still. */
  readonly look: (entries: readonly Row[]) => readonly Row[]
  /** Compares swaps of the table with the log. */
  readonly compare: () => Promise<readonly SwapDifference[]>
}

/** Walks a stretch of the log; where that is whole, compares locks and swaps with it. */
async function audit(
  db: Kysely<Tables>,
  { look, compare, clock, ...stretch }: Stretch,
): Promise<Omit<AuditReport, 'found'>> {
  const gone = new Map<string, SwapDifference>()
  const reasonOf = await acceptedDefects(db)
  const accepted: AuditReport['accepted'][number][] = []
  /** Whether a person has looked at exactly this. */
  const isAccepted = (defect: string): boolean => {
    const reason = reasonOf(defect)
    if (reason !== undefined) accepted.push({ defect, reason })
    return reason !== undefined
  }
  const walked = await walkLog(db, {
    ...stretch,
    ...{ clock, isAccepted },
    async look(entries) {
      for (const one of await goneSwaps(db, look(entries))) gone.set(one.swapId, one)
    },
  })
  if (walked.broken !== undefined) return { ...walked, locks: [], swaps: [], accepted }
  // Inside one transaction, so that a lock which is opened meanwhile is in both or in neither.
  const locks = await inTransaction(db, (trx) => lockDifferences(trx, { at: clock.now() }))
  const swaps = [...gone.values(), ...(await compare())]
  return {
    ...walked,
    locks: locks.filter((one) => !isAccepted(lockDefect(one))),
    swaps: swaps.filter((one) => !isAccepted(swapDefect(one))),
    accepted,
  }
}

/** The entry that the marked one claims to follow: whether that is true is in its hash. */
async function entryBefore(db: Kysely<Tables>, { seq }: LogEntry): Promise<LogEntry> {
  const row = await db.selectFrom('event').select('prev').where('seq', '=', seq).executeTakeFirst()
  return row === undefined
    ? { seq: Math.max(0, seq - 1), hash: genesis }
    : { seq: seq - 1, hash: row.prev }
}

/** Result of walking a stretch of the log. */
type Walked = {
  /** Entries that follow each other as they were written. */
  readonly count: number
  /** Hash of the last of them. */
  readonly head: string
  /** The first entry that does not and that no person accepted; undefined where there is none. */
  readonly broken: BrokenEntry | undefined
}

type Row = Selectable<EventTable>

/**
 * Entries hashed at a time. A file is read without a pause, and the watch for a halt runs between two pages: this many of
 * the largest entries take well under a tenth of a second.
 */
const page = 500

/**
 * Walks the log from behind an entry to its last, or to the first that is wrong. Entries that were marked have to be
 * the ones they were then. Behind a wrong entry that a person accepted it goes on.
 *
 * @param facts.look is given what is in order, a page at a time.
 */
async function walkLog(
  db: Kysely<Tables>,
  {
    after,
    marks,
    archived,
    outlines,
    look,
    isAccepted,
    clock,
  }: Pick<Stretch, 'after' | 'marks' | 'archived' | 'outlines' | 'clock'> & {
    look: (entries: readonly Row[]) => Promise<void>
    isAccepted: (defect: string) => boolean
  },
): Promise<Walked> {
  let [count, last, upto] = [0, after, archived]
  for (;;) {
    const rows = await db
      .selectFrom('event')
      .selectAll()
      .where('seq', '>', last.seq)
      .orderBy('seq')
      .limit(page)
      .execute()
    const whole: Row[] = []
    // Another process may archive meanwhile: it notes that before it empties an entry.
    if (rows.some(({ seq, facts }) => facts === '' && seq > upto)) upto = await archivedUpto(db)
    for (const row of rows) {
      const broken = brokenAt(row, { last, marks, archived: upto, other: outlines.other(row) })
      if (broken === undefined) whole.push(row)
      else if (!isAccepted(entryDefect(broken))) {
        await look(whole)
        return { count: count + whole.length, head: last.hash, broken }
      }
      last = row
    }
    count += whole.length
    await look(whole)
    if (rows.length < page) break
    await clock.sleep(1)
  }
  const cut = { seq: last.seq + 1, why: 'it is missing', digest: fingerprint(last.hash) }
  const isCut = marks.some(({ seq }) => seq > last.seq) && !isAccepted(entryDefect(cut))
  return { count, head: last.hash, broken: isCut ? cut : undefined }
}

type Around = Pick<Stretch, 'marks' | 'archived'> & {
  readonly last: LogEntry
  /** The outline up to here, where it is another than an archive took over. */
  readonly other: string | undefined
}

/** What is wrong with an entry; undefined where nothing is. */
function brokenAt(row: Row, around: Around): BrokenEntry | undefined {
  const why = wrongWith(row, around)
  if (why === undefined) return undefined
  const { last, other = '' } = around
  const digest = fingerprint(
    `${last.hash} ${row.prev} ${row.hash} ${chainHash(row.prev, row)}${other}`,
  )
  // Numbers are given without gaps: where one is left out, that entry is what is missing.
  const isGap = row.prev !== last.hash && row.seq > last.seq + 1
  return isGap ? { seq: last.seq + 1, why: 'it is missing', digest } : { seq: row.seq, why, digest }
}

function wrongWith(row: Row, { last, marks, archived, other }: Around): string | undefined {
  if (row.prev !== last.hash) return 'it does not follow the one before it'
  if (!isWritten(row, archived)) return 'it is not what was written'
  if (marks.some(({ seq, hash }) => seq === row.seq && hash !== row.hash))
    return 'it is another than when the books were last in order'
  if (other !== undefined) return 'an archive ends here, and its entries are not what they were'
  return undefined
}
