import { type Kysely, sql } from 'kysely'
import { toText } from '../../../core/amount.ts'
import type { Check } from '../../../core/check.ts'
import { differencePpm } from '../../../core/price.ts'
import { quarterMs } from '../../../core/spans.ts'
import { sameAddress } from '../../../core/token.ts'
import type { QuoteEvidence, SwapRecord } from '../../record.ts'
import { deadStates, isFinal, openStates, type SwapState } from '../../state.ts'
import { readFacts } from '../log/facts.ts'
import { prepared } from '../store/prepared.ts'
import {
  attemptRecord,
  attemptsOfExecution,
  gasPaidInAll,
  inLog,
  lostEvidence,
  readSwap,
  tipPaidInAll,
} from '../store/rows.ts'
import type { Store } from '../store/store.ts'
import type { Tables } from '../store/tables.ts'
import { swapHash } from './swapHash.ts'

type HistoryPage = {
  readonly limit: number
  readonly before?: string | undefined
  readonly strategy?: string | undefined
  readonly outcome?: SwapOutcome | undefined
}

/** What came of swaps: under way, filled, or ended without a fill. */
type SwapOutcome = 'open' | 'settled' | 'unsettled'

/** In the words of the partial indexes: with parameters SQLite would read every swap there ever was. */
const outcomes: Readonly<Record<SwapOutcome, readonly SwapState[]>> = {
  open: openStates,
  settled: ['SETTLED'],
  unsettled: deadStates,
}

const isOutcome = (outcome: SwapOutcome) =>
  sql<boolean>`state IN (${sql.raw(outcomes[outcome].map((state) => `'${state}'`).join(', '))})`

/** Newest first; `before` is the id of the last record of the page before. */
export async function swapHistory(
  db: Kysely<Tables>,
  page: HistoryPage,
): Promise<readonly SwapRecord[]> {
  const { limit, before, strategy, outcome } = page
  const isFirst = strategy === undefined && before === undefined && outcome === undefined
  const rows = isFirst ? (await selectNewest(db, { limit })).rows : await olderRows(db, page)
  const records = await Promise.all(rows.map((row) => keptRecord(db, row)))
  return records.flatMap((one) => (one === undefined ? [] : [one]))
}

const newestSwaps = (db: Kysely<Tables>, limit: number) =>
  db
    .selectFrom('swap')
    .select(['id', 'version'])
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)

const selectNewest = prepared((db, { limit }: { limit: number }) => newestSwaps(db, limit))

async function olderRows(db: Kysely<Tables>, { limit, strategy, before, outcome }: HistoryPage) {
  let query = newestSwaps(db, limit)
  if (outcome !== undefined) query = query.where(isOutcome(outcome))
  if (strategy !== undefined) query = query.where('strategy', '=', strategy)
  if (before !== undefined)
    query = query.where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('created_at', 'id'),
        '<',
        selectFrom('swap')
          .select(['created_at', 'id'])
          .where('id', '=', before)
          .$asTuple('created_at', 'id'),
      ),
    )
  return query.execute()
}

/**
 * Records of ended swaps, by database: of a page that is looked at again and again, hardly any is new. Once a swap and
 * all its approvals have ended nothing of it changes but its state, which its version counts.
 */
const ended = new WeakMap<object, Map<string, { version: number; record: SwapRecord }>>()
const endedMax = 1_000

async function keptRecord(
  db: Kysely<Tables>,
  { id, version }: { readonly id: string; readonly version: number },
): Promise<SwapRecord | undefined> {
  const { adapter } = db.getExecutor()
  const kept = ended.get(adapter) ?? new Map<string, { version: number; record: SwapRecord }>()
  ended.set(adapter, kept)
  const known = kept.get(id)
  if (known?.version === version) return known.record
  const record = await swapRecord(db, id)
  if (record === undefined || !isFinal(record.state as SwapState)) return record
  const { open } = await db
    .selectFrom('attempt')
    .select(({ fn }) => fn.countAll<number>().as('open'))
    .where('swap_id', '=', id)
    .where('kind', '=', 'APPROVE')
    .where('closed_at_block', 'is', null)
    .executeTakeFirstOrThrow()
  if (Number(open) > 0) return record
  if (kept.size === endedMax) kept.clear()
  kept.set(id, { version, record })
  return record
}

/** The shortest beginning of an id that is taken for it. */
export const idPrefixMin = 6

/** One swap with its attempts, by id or by a beginning of it that only one has; undefined otherwise. */
export async function swapRecord(db: Kysely<Tables>, id: string): Promise<SwapRecord | undefined> {
  const [row, another] = (await selectLike(db, { id, end: `${id}\uffff` })).rows
  if (row === undefined) return undefined
  if (row.id !== id && (another !== undefined || id.length < idPrefixMin)) return undefined

  const { rows: attempts } = await selectAttempts(db, { id: row.id })
  const swap = readSwap(row)
  const { intent, indication, recipient, wallet } = swap.plan
  const { moved, gasPaid } = swap
  const before = attemptsOfExecution(swap, attempts)
  const checks =
    row.checks === null || row.simulation === lostEvidence
      ? null
      : await countChecks(db, { swapId: row.id, column: row.checks })
  return {
    id: swap.id,
    strategy: swap.strategy,
    state: swap.state,
    reason: swap.reason ?? intent.reason,
    code: swap.code ?? null,
    createdAt: new Date(swap.createdAt).toISOString(),
    updatedAt: new Date(swap.updatedAt).toISOString(),
    sell: toText(intent.sell),
    buy: intent.buy.symbol,
    floor: toText(intent.floor),
    sold: moved === undefined ? null : toText(moved.sold),
    received: moved === undefined ? null : toText(moved.received),
    recipient: sameAddress(recipient, wallet) ? null : recipient,
    againstIndicationBps:
      moved === undefined || indication === undefined
        ? null
        : Number(differencePpm({ sold: moved.sold, bought: moved.received }, indication)) / 100,
    checks,
    gasUsed: swap.gasUsed?.toString() ?? null,
    gasPaidWei: gasPaid?.toString() ?? null,
    gasPaidInAllWei: gasPaidInAll(gasPaid, before)?.toString() ?? null,
    gasTipInAllWei: tipPaidInAll(swap, before)?.toString() ?? null,
    agrees: swap.agrees ?? null,
    txHash: swapHash(attempts, swap.included?.transaction) ?? null,
    block: swap.included?.number ?? null,
    attempts: attempts.map(attemptRecord),
  }
}

const selectLike = prepared((db, where: { id: string; end: string }) =>
  db
    .selectFrom('swap')
    .leftJoin('quote', 'quote.swap_id', 'swap.id')
    .selectAll('swap')
    .select(['quote.checks', 'quote.simulation'])
    .where('swap.id', '>=', where.id)
    .where('swap.id', '<', where.end)
    .orderBy('swap.id')
    .limit(2),
)

const selectAttempts = prepared((db, where: { id: string }) =>
  db
    .selectFrom('attempt')
    .selectAll()
    .where('swap_id', '=', where.id)
    .orderBy('created_at')
    .orderBy('nonce'),
)

type Checked = { readonly swapId: string; readonly column: string }

/** Those of a swap in an archive were counted when they left: all of them had passed. */
async function countChecks(db: Kysely<Tables>, { swapId, column }: Checked) {
  if (/^\d+$/.test(column)) return { passed: Number(column), total: Number(column) }
  const checks =
    column === inLog
      ? readFacts('verified', (await verifiedEntry(db, swapId)).facts).checks
      : (JSON.parse(column) as readonly Check[])
  return { passed: checks.filter(({ ok }) => ok).length, total: checks.length }
}

/** Evidence a swap was signed on: the quote's figures, every check, the simulation. Undefined before a quote. */
export async function evidenceOf(
  { db, archives }: Pick<Store, 'db' | 'archives'>,
  swapId: string,
): Promise<QuoteEvidence | undefined> {
  const row = await db
    .selectFrom('quote')
    .selectAll()
    .where('swap_id', '=', swapId)
    .executeTakeFirst()
  if (row === undefined || row.simulation === lostEvidence) return undefined
  return {
    quoteId: row.quote_id,
    amountOutWei: row.amount_out,
    minimumWei: row.minimum,
    deadlineTimestamp: row.deadline,
    checks: await checksOf({ db, archives }, { swapId, column: row.checks }),
    simulation: JSON.parse(row.simulation),
  }
}

async function checksOf(
  { db, archives }: Pick<Store, 'db' | 'archives'>,
  { swapId, column }: Checked,
): Promise<readonly Check[]> {
  if (column.startsWith('[')) return JSON.parse(column)
  const entry = await verifiedEntry(db, swapId)
  const archived = await archives.facts([entry])
  return readFacts('verified', archived.get(entry.seq) ?? entry.facts).checks
}

const verifiedEntry = (db: Kysely<Tables>, swapId: string) =>
  db
    .selectFrom('event')
    .selectAll()
    .where('swap_id', '=', swapId)
    .where('type', '=', 'VERIFIED')
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow()

/** Enough to choose from. */
const few = 5

/** Ids of swaps that begin like this, and those that would stand beside it in an alphabetical list. */
export async function idsLike(
  db: Kysely<Tables>,
  text: string,
): Promise<{ readonly beginning: readonly string[]; readonly beside: readonly string[] }> {
  const ids = db.selectFrom('swap').select('id')
  const after = await ids.where('id', '>=', text).orderBy('id').limit(few).execute()
  const before = await ids.where('id', '<', text).orderBy('id', 'desc').limit(1).execute()
  const beginning = after.map(({ id }) => id).filter((id) => id.startsWith(text))
  const beside = [...before, ...after.slice(0, 1)].map(({ id }) => id)
  return { beginning, beside }
}

/** Ids of the swaps that a strategy planned for one slot, in the order of its intents. */
export async function swapsOfSlot(
  db: Kysely<Tables>,
  { strategy, slot }: { readonly strategy: string; readonly slot: number },
): Promise<readonly string[]> {
  const begin = `${strategy}:${slot}:`
  const rows = await db
    .selectFrom('swap')
    .select(['id', 'created_at'])
    .where('key', '>=', begin)
    // The character after the colon: whatever else begins with it is one of these.
    .where('key', '<', `${strategy}:${slot};`)
    .orderBy('key')
    .execute()
  return rows.map(({ id }) => id)
}

/** Swaps that settled, by strategy and the quarter of an hour in which they were planned. */
export async function countSettled(
  db: Kysely<Tables>,
  { since, until }: { since: number; until: number },
): Promise<readonly { readonly at: number; readonly strategy: string; readonly count: number }[]> {
  const quarter = sql<number>`created_at / ${sql.lit(quarterMs)}`
  const rows = await db
    .selectFrom('swap')
    .select(({ fn }) => [quarter.as('quarter'), 'strategy', fn.countAll().as('count')] as const)
    .where(isOutcome('settled'))
    .where('created_at', '>=', since)
    .where('created_at', '<', until)
    .groupBy([quarter, 'strategy'])
    .execute()
  return rows.map(({ quarter: at, strategy, count }) => ({
    ...{ at: Number(at) * quarterMs, strategy },
    count: Number(count),
  }))
}

/** The firm quote that a swap was signed on, as the service sent it; of an archived swap its source alone. */
export async function quoteBody(db: Kysely<Tables>, swapId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('quote')
    .select('body')
    .where('swap_id', '=', swapId)
    .executeTakeFirst()
  return row?.body
}
