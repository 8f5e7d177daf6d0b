import type { Kysely, Selectable } from 'kysely'
import { z } from 'zod'
import type { Token } from '../../../core/token.ts'
import type { Dossier, QuoteRecord } from '../../dossier.ts'
import { readFound, readLegs } from '../aftermath/aftermath.ts'
import {
  amountIn,
  attemptRecord,
  attemptsOfExecution,
  basePaidInAll,
  gasPaidInAll,
  lostEvidence,
  readSwap,
  tipPaidInAll,
} from '../store/rows.ts'
import type { QuoteTable, Tables } from '../store/tables.ts'
import { amountText } from '../store/text.ts'

/** All that is known of these swaps, in the order of their ids as given; an id that no swap has is left out. */
export async function dossiers(
  db: Kysely<Tables>,
  ids: readonly string[],
): Promise<readonly Dossier[]> {
  if (ids.length === 0) return []
  const rows = await db.selectFrom('swap').selectAll().where('id', 'in', ids).execute()
  const quotes = await db.selectFrom('quote').selectAll().where('swap_id', 'in', ids).execute()
  const attempts = await db
    .selectFrom('attempt')
    .selectAll()
    .where('swap_id', 'in', ids)
    .orderBy('created_at')
    .orderBy('nonce')
    .execute()
  const events = await db
    .selectFrom('event')
    .select(['seq', 'swap_id', 'at', 'type'])
    .where('swap_id', 'in', ids)
    .orderBy('seq')
    .execute()
  const aftermaths = await db
    .selectFrom('aftermath')
    .select(['subject', 'at', 'found'])
    .where('subject', 'in', ids)
    .execute()
  const rowOf = new Map(rows.map((row) => [row.id, row]))
  const quoteOf = new Map(quotes.map((quote) => [quote.swap_id, quote]))
  const aftermathOf = new Map(
    aftermaths.map(({ subject, at, found }) => [subject, { at, found: readFound(found) }]),
  )
  const attemptsOf = Map.groupBy(attempts, ({ swap_id }) => swap_id)
  const eventsOf = Map.groupBy(events, ({ swap_id }) => swap_id)
  return ids.flatMap((id) => {
    const row = rowOf.get(id)
    if (row === undefined) return []
    const own = attemptsOf.get(id) ?? []
    const { included, deadline: _, ...swap } = readSwap(row)
    const quote = quoteOf.get(id)
    const before = attemptsOfExecution(swap, own)
    return {
      ...swap,
      slot: row.slot ?? undefined,
      block: included?.number,
      mined: included && { hash: included.transaction, blockHash: included.hash },
      quote: quote && quoteRecord(quote, swap.plan.intent.buy),
      gasPaidInAll: gasPaidInAll(swap.gasPaid, before),
      tipPaidInAll: tipPaidInAll(swap, before),
      basePaidInAll: basePaidInAll(swap, before),
      aftermath: aftermathOf.get(id),
      attempts: own.map(attemptRecord),
      events: (eventsOf.get(id) ?? []).map(({ seq, at, type }) => ({ seq, at, type })),
    }
  })
}

const simulationText = z.object({
  block: z.int().optional(),
  spent: amountText,
  received: amountText,
  gas: z.string().regex(/^\d+$/).transform(BigInt),
  proof: z.string().optional(),
  requestedAt: z.number().optional(),
  receivedAt: z.number().optional(),
  appraisal: z
    .object({
      askedAt: z.number(),
      block: z.int().optional(),
      references: z.array(
        z.object({
          source: z.string(),
          fair: amountText,
          independent: z.boolean(),
          at: z.number(),
        }),
      ),
      absent: z.array(z.object({ source: z.string(), reason: z.string() })),
      notional: amountText.optional(),
      coin: amountText.optional(),
    })
    .optional(),
})

const bodyText = z.object({ source: z.string().min(1).optional().catch(undefined) })

/** The filler, as a quote's answer names it; a foreign service may not. */
export const sourceIn = (body: string): string | undefined =>
  bodyText.safeParse(JSON.parse(body)).data?.source

function quoteRecord(row: Selectable<QuoteTable>, buy: Token): QuoteRecord | undefined {
  if (row.simulation === lostEvidence) return undefined
  const { requestedAt, receivedAt, appraisal, ...simulation } = simulationText.parse(
    JSON.parse(row.simulation),
  )
  return {
    quoteId: row.quote_id,
    amountOut: amountIn(buy, row.amount_out),
    minimum: amountIn(buy, row.minimum),
    deadline: row.deadline,
    source: sourceIn(row.body),
    legs: row.legs === null ? undefined : readLegs(row.legs),
    simulation: { ...simulation, block: simulation.block },
    requestedAt,
    receivedAt,
    appraisal: appraisal && {
      ...appraisal,
      notional: appraisal.notional,
      coin: appraisal.coin,
    },
  }
}

/** Where a page begins: after this swap of the page before. */
type SwapPage = {
  readonly after?: { readonly createdAt: number; readonly id: string } | undefined
  readonly limit: number
  /** Planned at this instant or later, and before that one; milliseconds since the epoch. */
  readonly since?: number | undefined
  readonly until?: number | undefined
  readonly strategy?: string | undefined
}

/** Swaps in the order in which they were planned, a page of them. */
export async function pageSwaps(
  db: Kysely<Tables>,
  { after, limit, since, until, strategy }: SwapPage,
): Promise<readonly Dossier[]> {
  let query = db.selectFrom('swap').select('id')
  if (strategy !== undefined) query = query.where('strategy', '=', strategy)
  if (until !== undefined) query = query.where('created_at', '<', until)
  const from = after?.createdAt ?? since
  if (from !== undefined) query = query.where('created_at', '>=', from)
  if (after !== undefined)
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('created_at', 'id'), '>', tuple(after.createdAt, after.id)),
    )
  const rows = await query.orderBy('created_at').orderBy('id').limit(limit).execute()
  return dossiers(
    db,
    rows.map(({ id }) => id),
  )
}
