import type { Kysely } from 'kysely'
import { toText } from '../../../core/amount.ts'
import type { Check } from '../../../core/check.ts'
import { differencePpm } from '../../../core/price.ts'
import type { QuoteEvidence, SwapRecord } from '../../record.ts'
import { readFacts } from '../log/facts.ts'
import {
  attemptRecord,
  gasPaidInAll,
  inLog,
  lostEvidence,
  readSwap,
  tipPaidInAll,
} from '../store/rows.ts'
import type { Store } from '../store/store.ts'
import type { Tables } from '../store/tables.ts'

type HistoryPage = { readonly limit: number; readonly before?: string; readonly strategy?: string }

/** Newest first; `before` is the id of the last record of the page before. */
export async function swapHistory(
  db: Kysely<Tables>,
  { limit, before, strategy }: HistoryPage,
): Promise<readonly SwapRecord[]> {
  let query = db.selectFrom('swap').select('id')
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
  const rows = await query
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  const records = await Promise.all(rows.map(({ id }) => swapRecord(db, id)))
  return records.flatMap((one) => (one === undefined ? [] : [one]))
}

/** The shortest beginning of an id that is taken for it. */
const idPrefixMin = 6

/** One swap with its attempts, by id or by a beginning of it that only one has; undefined otherwise. */
export async function swapRecord(db: Kysely<Tables>, id: string): Promise<SwapRecord | undefined> {
  const [row, another] = await db
    .selectFrom('swap')
    .leftJoin('quote', 'quote.swap_id', 'swap.id')
    .selectAll('swap')
    .select(['quote.checks', 'quote.simulation'])
    .where('swap.id', '>=', id)
    .where('swap.id', '<', `${id}\uffff`)
    .orderBy('swap.id')
    .limit(2)
    .execute()
  if (row === undefined) return undefined
  if (row.id !== id && (another !== undefined || id.length < idPrefixMin)) return undefined

  const attempts = await db
    .selectFrom('attempt')
    .selectAll()
    .where('swap_id', '=', row.id)
    .orderBy('created_at')
    .orderBy('nonce')
    .execute()
  const swap = readSwap(row)
  const { intent, indication } = swap.plan
  const { moved, gasPaid } = swap
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
    againstIndicationBps:
      moved === undefined || indication === undefined
        ? null
        : Number(differencePpm({ sold: moved.sold, bought: moved.received }, indication)) / 100,
    checks,
    gasUsed: swap.gasUsed?.toString() ?? null,
    gasPaidWei: gasPaid?.toString() ?? null,
    gasPaidInAllWei:
      gasPaid === undefined ? null : (gasPaidInAll(gasPaid, attempts)?.toString() ?? null),
    gasTipInAllWei: tipPaidInAll(swap.tipPaid, attempts)?.toString() ?? null,
    agrees: swap.agrees ?? null,
    txHash: attempts.filter(({ kind }) => kind === 'SWAP').at(-1)?.hash ?? null,
    block: swap.included?.number ?? null,
    attempts: attempts.map(attemptRecord),
  }
}

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
