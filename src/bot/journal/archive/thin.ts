import { type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import type { Clock } from '../../../core/clock.ts'
import { compactJson } from '../../../core/json.ts'
import { isFinal } from '../../state.ts'
import { readFacts } from '../log/facts.ts'
import { packed, unpacked } from '../store/packed.ts'
import type {
  AttemptTable,
  DecisionTable,
  EventTable,
  QuoteTable,
  Tables,
} from '../store/tables.ts'
import { sourceIn } from '../swaps/dossiers.ts'
import { type Archived, bodied, hasBody } from './archived.ts'

/** Rows thinned in one transaction: others write in between, and a statement has so many parameters at most. */
const page = 500

const none = packed('')

/**
 * Drops the bodies that an archive has: facts of entries that only a person reads, answers and signed bytes of their swaps,
 * what decisions saw. Figures stay: reports and limits are read from them. Returns the bytes that were dropped.
 *
 * Each page is one transaction, and what is left after a kill is found by the same call. Rows are written anew, because
 * SQLite gives back a page that is empty, and none that is half full.
 */
export async function thin(
  db: Kysely<Tables>,
  { upto, before, clock }: Pick<Archived, 'upto' | 'before'> & { readonly clock: Clock },
): Promise<number> {
  const kept = await newestDecisions(db)
  let bytes = 0
  for (const thinPage of [
    (trx: Transaction<Tables>) => thinEntries(trx, upto),
    (trx: Transaction<Tables>) => thinDecisions(trx, { before, kept }),
  ])
    for (;;) {
      const dropped = await db.transaction().execute((trx) => thinPage(trx.withoutPlugins()))
      if (dropped === undefined) break
      bytes += dropped
      await clock.sleep(1)
    }
  return bytes
}

/** A long text as it is stored: bytes, or text in older rows. */
type Packed = string | Uint8Array

type Stored<row, columns extends keyof row> = Omit<row, columns> & {
  readonly [column in columns]: Packed | Extract<row[column], null>
}
type StoredEvent = Stored<Selectable<EventTable>, 'facts'>
type StoredQuote = Stored<Selectable<QuoteTable>, 'body' | 'checks'>
type StoredAttempt = Stored<Selectable<AttemptTable>, 'raw'>
type StoredDecision = Stored<Selectable<DecisionTable>, 'context' | 'decision' | 'last_seen'>

const textOf = (stored: Packed) => (typeof stored === 'string' ? stored : unpacked(stored))

const lengthOf = (stored: Packed | null) => stored?.length ?? 0

async function thinEntries(trx: Transaction<Tables>, upto: number): Promise<number | undefined> {
  const first = await trx
    .selectFrom('event')
    .select('seq')
    .where(hasBody)
    .where('seq', '<=', upto)
    .orderBy('seq')
    .limit(1)
    .executeTakeFirst()
  if (first === undefined) return undefined
  const last = Math.min(first.seq + page - 1, upto)
  const rows = (await trx
    .selectFrom('event')
    .selectAll()
    .where('seq', '>=', first.seq)
    .where('seq', '<=', last)
    .orderBy('seq')
    .execute()) as readonly StoredEvent[]
  await trx.deleteFrom('event').where('seq', '>=', first.seq).where('seq', '<=', last).execute()
  const leaving = rows.filter(({ type }) => bodied.includes(type))
  await write(
    trx,
    'event',
    rows.map((row) => (leaving.includes(row) ? { ...row, facts: none } : row)),
  )
  const dropped = leaving.reduce((sum, { facts }) => sum + lengthOf(facts), 0)
  return dropped + (await thinSwaps(trx, leaving))
}

/** Of swaps: the answer of the service, but for the filler it names, and signed bytes. */
async function thinSwaps(
  trx: Transaction<Tables>,
  entries: readonly StoredEvent[],
): Promise<number> {
  const swaps = await trx
    .selectFrom('swap')
    .select(['id', 'state'])
    .where('id', 'in', [...new Set(entries.map(({ swap_id }) => swap_id))])
    .execute()
  // What an allowance is taken back by is in the name of the swap that left it: its bytes may still have to be sent.
  const open = await trx
    .selectFrom('attempt')
    .select('swap_id')
    .where('kind', '=', 'APPROVE')
    .where('closed_at_block', 'is', null)
    .execute()
  const ended = swaps.flatMap(({ id, state }) =>
    isFinal(state) && !open.some(({ swap_id }) => swap_id === id) ? id : [],
  )
  if (ended.length === 0) return 0
  const checksOf = new Map(
    entries.flatMap(({ swap_id, type, facts }) =>
      type === 'VERIFIED' ? [[swap_id, countChecks(textOf(facts))] as const] : [],
    ),
  )
  const quotes = (await trx
    .selectFrom('quote')
    .selectAll()
    .where('swap_id', 'in', ended)
    .execute()) as readonly StoredQuote[]
  await trx.deleteFrom('quote').where('swap_id', 'in', ended).execute()
  const left = quotes.map((quote) => ({
    ...quote,
    body: packed(compactJson({ source: sourceIn(textOf(quote.body)) })),
    checks: checksOf.get(quote.swap_id) ?? quote.checks,
  }))
  await write(trx, 'quote', left)
  const attempts = (await trx
    .selectFrom('attempt')
    .selectAll()
    .where('swap_id', 'in', ended)
    .where(hasBytes)
    .orderBy('created_at')
    .execute()) as readonly StoredAttempt[]
  await trx.deleteFrom('attempt').where('swap_id', 'in', ended).where(hasBytes).execute()
  await write(
    trx,
    'attempt',
    attempts.map((attempt) => ({ ...attempt, raw: none })),
  )
  return (
    quotes.reduce(
      (sum, { body }, index) => sum + lengthOf(body) - lengthOf(left[index]?.body ?? null),
      0,
    ) + attempts.reduce((sum, { raw }) => sum + lengthOf(raw), 0)
  )
}

const hasBytes = sql<boolean>`length(raw) > 0`

/** How many checks a quote passed: `history` shows it without the archive. None were kept of a quote that was recovered. */
const countChecks = (verified: string) =>
  packed(String(readFacts('rejected', verified).checks.length))

/** The last decision of each strategy: its next one is compared with it. */
async function newestDecisions(db: Kysely<Tables>): Promise<readonly number[]> {
  const rows = await db
    .selectFrom('decision')
    .select(({ fn }) => fn.max('id').as('id'))
    .groupBy('strategy')
    .execute()
  return rows.map(({ id }) => id)
}

async function thinDecisions(
  trx: Transaction<Tables>,
  { before, kept }: { readonly before: number; readonly kept: readonly number[] },
): Promise<number | undefined> {
  const rows = (await trx
    .selectFrom('decision')
    .selectAll()
    // In the words of the index over those that still have it.
    .where(sql<boolean>`length(context) > 0`)
    .where('at', '<', before)
    .where(({ eb, fn }) => eb(fn.coalesce('last_at', 'at'), '<', before))
    .where('id', 'not in', [0, ...kept])
    .orderBy('at')
    .limit(page)
    .execute()) as readonly StoredDecision[]
  if (rows.length === 0) return undefined
  await trx
    .deleteFrom('decision')
    .where(
      'id',
      'in',
      rows.map(({ id }) => id),
    )
    .execute()
  await write(
    trx,
    'decision',
    rows.map((row) => ({ ...row, context: none, decision: none, last_seen: null })),
  )
  return rows.reduce(
    (sum, { context, decision, last_seen }) =>
      sum + lengthOf(context) + lengthOf(decision) + lengthOf(last_seen),
    0,
  )
}

async function write(
  trx: Transaction<Tables>,
  table: 'event' | 'quote' | 'attempt' | 'decision',
  rows: readonly object[],
): Promise<void> {
  if (rows.length > 0)
    await trx
      .insertInto(table)
      .values(rows as never)
      .execute()
}
