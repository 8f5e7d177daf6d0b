import type { Kysely } from 'kysely'
import { BallastError } from '../../../core/errors.ts'
import { type Database, journalName } from '../store/database.ts'
import type { Fence } from '../store/postgres/takeLease.ts'
import type { Tables } from '../store/tables.ts'
import { openDatabase } from './openDatabase.ts'

/** Opens a journal's database as one kind of books. Throws JOURNAL_IS_LIVE or JOURNAL_IS_PAPER for the other. */
export async function openKind(
  database: Database,
  { kind, fence }: { kind: JournalKind; fence: Fence | undefined },
): Promise<Kysely<Tables>> {
  const db = await openDatabase(database, { fence })
  try {
    await claimKind(db, { kind, name: journalName(database) })
  } catch (error) {
    await db.destroy()
    throw error
  }
  return db
}

/** Whether swaps of these books were sent to a chain, or were only booked. */
type JournalKind = 'live' | 'paper'

/**
 * Begins the books as one kind, or holds them to the kind they were begun as. Books that have entries and no kind are
 * older than paper, so they are live.
 *
 * Throws JOURNAL_IS_LIVE or JOURNAL_IS_PAPER.
 */
async function claimKind(
  db: Kysely<Tables>,
  { kind, name }: { kind: JournalKind; name: string },
): Promise<void> {
  const known = (await kindOf(db)) ?? (await begin(db, kind))
  if (known !== kind) throw otherKind(known, name)
}

/** Throws where a transaction on paper is about to be made in books that are not. */
export async function assertPaper(db: Kysely<Tables>): Promise<void> {
  const kind = await kindOf(db)
  if (kind !== 'paper') throw otherKind('live', 'this journal')
}

async function kindOf(db: Kysely<Tables>): Promise<JournalKind | undefined> {
  const row = await db.selectFrom('journal_kind').select('kind').executeTakeFirst()
  return row?.kind
}

async function begin(db: Kysely<Tables>, kind: JournalKind): Promise<JournalKind> {
  return db.transaction().execute(async (trx) => {
    // Another process may have begun them since they were looked at; the write lock is held from here on.
    const begun = await kindOf(trx)
    if (begun !== undefined) return begun
    const entry = await trx.selectFrom('event').select('seq').limit(1).executeTakeFirst()
    const wallet = await trx.selectFrom('wallet').select('address').limit(1).executeTakeFirst()
    const used = entry !== undefined || wallet !== undefined
    const begins = used ? 'live' : kind
    await trx.insertInto('journal_kind').values({ id: 1, kind: begins }).execute()
    return begins
  })
}

const otherKind = (known: JournalKind, journal: string) =>
  known === 'live'
    ? new BallastError('This journal is of real money: nothing is booked on paper there.', {
        code: 'JOURNAL_IS_LIVE',
        remedy: 'halt',
        fault: 'usage',
        facts: { journal, next: 'move the file away, or give the paper run another database' },
      })
    : new BallastError('This journal was kept on paper: no real swap goes on from it.', {
        code: 'JOURNAL_IS_PAPER',
        remedy: 'halt',
        fault: 'usage',
        facts: { journal, next: 'set database to the journal of the live bot, or to a new one' },
      })
