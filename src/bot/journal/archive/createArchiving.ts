import { type Kysely, sql } from 'kysely'
import type { Clock } from '../../../core/clock.ts'
import { ballastError } from '../../../core/errors.ts'
import { liveLocks } from '../locks/locks.ts'
import { appendEvent, genesis, type LogEntry, lastEntry } from '../log/log.ts'
import { openSwaps } from '../store/openIds.ts'
import { bound, type Store } from '../store/store.ts'
import type { Tables } from '../store/tables.ts'
import { type Archived, archivesOf, createOutline, hasBody } from './archived.ts'
import { thin } from './thin.ts'

export const createArchivingReader = (store: Store) => bound(store, { oldestBody })

/** The steps of an archive in the journal itself; `archiveJournal` has their order. */
export const createArchiving = ({ db, clock, ...store }: Store) => ({
  ...createArchivingReader({ db, clock, ...store }),
  last: async () => (await archivesOf(db)).at(-1),
  end: (before: number) => endOf(db, { before, at: clock.now() }),
  note: (archived: Noted, last: Archived | undefined) => noteArchive(db, { archived, last, clock }),
  remains: (reach: Reach) => remains(db, reach),
  thin: ({ upto, before }: Reach) => thin(db, { upto, before, clock }),
})

type Noted = Omit<Archived, 'seq' | 'outline'>
type Reach = Pick<Archived, 'upto' | 'before'>

/** When the oldest body that is still here was written; undefined where all are in archives. */
async function oldestBody(db: Kysely<Tables>): Promise<number | undefined> {
  const entry = await db
    .selectFrom('event')
    .select('at')
    .where(hasBody)
    .orderBy('seq')
    .limit(1)
    .executeTakeFirst()
  const decision = await decisionBodies(db).orderBy('at').limit(1).executeTakeFirst()
  const found = [entry?.at, decision?.at].filter((at) => at !== undefined)
  return found.length === 0 ? undefined : Math.min(...found)
}

/** Decisions with a body, but for the last of each strategy, which stays. */
const decisionBodies = (db: Kysely<Tables>) =>
  db
    .selectFrom('decision')
    .select('at')
    .where(sql<boolean>`length(context) > 0`)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('decision as later')
          .select('later.id')
          .whereRef('later.strategy', '=', 'decision.strategy')
          .whereRef('later.id', '>', 'decision.id'),
      ),
    )

/** Whether bodies are still here that such an archive has. */
async function remains(db: Kysely<Tables>, { upto, before }: Reach): Promise<boolean> {
  const entry = await db
    .selectFrom('event')
    .select('seq')
    .where(hasBody)
    .where('seq', '<=', upto)
    .limit(1)
    .executeTakeFirst()
  if (entry !== undefined) return true
  const decision = await decisionBodies(db)
    .where('at', '<', before)
    .where(({ eb, fn }) => eb(fn.coalesce('last_at', 'at'), '<', before))
    .limit(1)
    .executeTakeFirst()
  return decision !== undefined
}

/**
 * The last entry that an archive of everything before an instant may take: it lies before the first entry of every swap that
 * ended later or is open, and of every incident that holds. So whatever began before it has ended, and a copy made from now on
 * has all of it. Beside it the hash of the newest entry of all.
 */
async function endOf(
  db: Kysely<Tables>,
  { before, at }: { readonly before: number; readonly at: number },
): Promise<LogEntry & { readonly newest: string }> {
  return db.transaction().execute(async (trx) => {
    const last = (await archivesOf(trx)).at(-1)
    const newest = await lastEntry(trx)
    const later = await trx
      .selectFrom('event')
      .select('seq')
      .where('seq', '>', last?.upto ?? 0)
      .where('at', '>=', before)
      .orderBy('seq')
      .limit(1)
      .executeTakeFirst()
    const spanning = await trx
      .selectFrom('swap')
      .select('id')
      .where('created_at', '<', before)
      .where('updated_at', '>=', before)
      .execute()
    // A pause or a drain is meant, and may hold for years: it keeps nothing back.
    const incidents = (await liveLocks(trx, { at })).filter(
      ({ kind }) => kind === 'halt' || kind === 'breaker',
    )
    const of = [
      ...(await openSwaps(trx)),
      ...spanning.map(({ id }) => id),
      ...incidents.map(({ id }) => `lock ${id}`),
    ]
    const firsts = await Promise.all(of.map((name) => firstEntry(trx, name)))
    const stays = Math.min(newest.seq + 1, ...[later?.seq, ...firsts].filter((seq) => seq != null))
    const seq = Math.max(last?.upto ?? 0, stays - 1)
    const row = await trx
      .selectFrom('event')
      .select('hash')
      .where('seq', '=', seq)
      .executeTakeFirst()
    return { seq, hash: row?.hash ?? genesis, newest: newest.hash }
  })
}

async function firstEntry(db: Kysely<Tables>, of: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('event')
    .select('seq')
    .where('swap_id', '=', of)
    .orderBy('seq')
    .limit(1)
    .executeTakeFirst()
  return row?.seq
}

/**
 * Names an archive in the log: from then on, and not before, the journal may drop what it has. Throws JOURNAL_BUSY where the
 * log names another than the last one that was known: its bodies may have been gone when the copy was made.
 */
async function noteArchive(
  db: Kysely<Tables>,
  {
    archived,
    last,
    clock,
  }: {
    readonly archived: Noted
    readonly last: Archived | undefined
    readonly clock: Clock
  },
): Promise<void> {
  const at = clock.now()
  const outline = await outlineOf(db, { after: last?.upto ?? 0, upto: archived.upto, clock })
  await db.transaction().execute(async (trx) => {
    if ((await archivesOf(trx)).at(-1)?.seq !== last?.seq)
      throw ballastError(
        'JOURNAL_BUSY',
        'Another process archived this journal meanwhile: nothing is left to do.',
        { unused: archived.file },
      )
    await appendEvent(trx, {
      ...{ of: 'journal', at, type: 'ARCHIVED' },
      facts: { ...archived, outline },
    })
  })
}

/** Entries read at a time. */
const page = 500

async function outlineOf(
  db: Kysely<Tables>,
  { after, upto, clock }: { readonly after: number; readonly upto: number; readonly clock: Clock },
): Promise<string> {
  const outline = createOutline()
  for (let last = after; last < upto; last += page) {
    const rows = await db
      .selectFrom('event')
      .select(['seq', 'swap_id', 'at', 'type'])
      .where('seq', '>', last)
      .where('seq', '<=', Math.min(last + page, upto))
      .orderBy('seq')
      .execute()
    for (const row of rows) outline.add(row)
    await clock.sleep(1)
  }
  return outline.digest()
}
