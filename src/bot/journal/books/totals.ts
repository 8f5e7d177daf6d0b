import { type Kysely, sql } from 'kysely'
import { show } from '../../../core/amount.ts'
import type { Token } from '../../../core/token.ts'
import type { BooksScope, TotalDefect } from '../../books.ts'
import { readFacts } from '../log/facts.ts'
import type { Tables } from '../store/tables.ts'
import { readPlan } from '../store/text.ts'

/** What the settled swaps of a strategy sold and received of a pair, in smallest units. */
type Sum = { readonly sold: bigint; readonly received: bigint; readonly swaps: number }

/** The tokens of a pair, where they are known. */
type Pair = { readonly sell: Token; readonly buy: Token }

type Sums = Map<string, Sum>

/** Entries added up at a time. */
const page = 1_000

/**
 * The totals that differ from the sum of the settled swaps in the log. Of a part of the books the sum begins with the
 * totals that were marked as clean; it begins with nothing where none were, or for the whole.
 */
export async function totalDefects(
  db: Kysely<Tables>,
  scope: BooksScope,
): Promise<readonly TotalDefect[]> {
  // In one transaction: a swap that settles meanwhile is in the log and in the total, or in neither.
  return db.transaction().execute(async (trx) => {
    const mark = scope.since === 0 ? undefined : await markedTotals(trx, scope)
    const counted: Sums = new Map(mark?.sums)
    const pairs = new Map<string, Pair>()
    for (let after = mark?.seq ?? 0; ; ) {
      const entries = await trx
        .selectFrom('event')
        .innerJoin('swap', 'swap.id', 'event.swap_id')
        .select(['event.seq', 'event.facts', 'swap.plan', 'swap.strategy'])
        .where('event.seq', '>', after)
        // In the words of the index over these entries.
        .where(
          sql<boolean>`event.type IN ('SETTLED', 'REVERTED', 'EXPIRED_DEAD', 'APPROVED', 'PAID_IN')`,
        )
        .where('event.type', '=', 'SETTLED')
        .orderBy('event.seq')
        .limit(page)
        .execute()
      for (const { facts, plan, strategy } of entries) {
        const { sell, buy } = readPlan(plan).intent
        const { sold, received } = readFacts('settled', facts)
        const name = nameOf({
          strategy,
          chain_id: sell.token.chainId,
          sell_token: sell.token.address,
          buy_token: buy.address,
        })
        pairs.set(name, { sell: sell.token, buy })
        const sum = counted.get(name) ?? { sold: 0n, received: 0n, swaps: 0 }
        counted.set(name, {
          sold: sum.sold + BigInt(sold),
          received: sum.received + BigInt(received),
          swaps: sum.swaps + 1,
        })
      }
      after = entries.at(-1)?.seq ?? after
      if (entries.length < page) break
    }
    for (const row of await totalRows(trx)) pairs.set(nameOf(row), pairOf(row))
    return defectsBetween(await bookedTotals(trx), { counted, pairs })
  })
}

/** All totals as text, for the mark. */
export async function totalsText(db: Kysely<Tables>): Promise<string> {
  return JSON.stringify(
    [...(await bookedTotals(db))].map(([name, { sold, received, swaps }]) => [
      ...[name, `${sold}`, `${received}`],
      swaps,
    ]),
  )
}

/** What a strategy ever sold of one token for another, for a person. */
export type ShownTotal = {
  readonly strategy: string
  readonly swaps: number
  readonly sold: string
  readonly received: string
}

/** The totals as they are booked, by strategy. */
export async function shownTotals(db: Kysely<Tables>): Promise<readonly ShownTotal[]> {
  const rows = await db
    .selectFrom('strategy_total')
    .selectAll()
    .orderBy('strategy')
    .orderBy('chain_id')
    .orderBy('sell_token')
    .orderBy('buy_token')
    .execute()
  return rows.map((row) => {
    const { sell, buy } = pairOf(row)
    const [sold, received] = [
      show({ token: sell, wei: BigInt(row.sold) }),
      show({ token: buy, wei: BigInt(row.received) }),
    ]
    return { strategy: row.strategy, swaps: Number(row.swaps), sold, received }
  })
}

const totalRows = (db: Kysely<Tables>) => db.selectFrom('strategy_total').selectAll().execute()

const pairOf = ({ sell, buy }: { sell: string; buy: string }): Pair => ({
  sell: JSON.parse(sell),
  buy: JSON.parse(buy),
})

async function bookedTotals(db: Kysely<Tables>): Promise<Sums> {
  return new Map(
    (await totalRows(db)).map((row) => [
      nameOf(row),
      { sold: BigInt(row.sold), received: BigInt(row.received), swaps: Number(row.swaps) },
    ]),
  )
}

async function markedTotals(db: Kysely<Tables>, { chainId, wallet }: BooksScope) {
  const row = await db
    .selectFrom('reconciled')
    .select(['seq', 'totals'])
    .where('chain_id', '=', chainId)
    .where('wallet', '=', wallet.toLowerCase())
    .executeTakeFirst()
  if (row?.totals == null) return undefined
  const marked: readonly [string, string, string, number][] = JSON.parse(row.totals)
  const sums = marked.map(
    ([name, sold, received, swaps]) =>
      [name, { sold: BigInt(sold), received: BigInt(received), swaps }] as const,
  )
  return { seq: row.seq, sums }
}

const nameOf = (pair: {
  readonly strategy: string
  readonly chain_id: number
  readonly sell_token: string
  readonly buy_token: string
}) =>
  `${pair.chain_id} ${pair.sell_token.toLowerCase()} ${pair.buy_token.toLowerCase()} ${pair.strategy}`

function defectsBetween(
  booked: Sums,
  { counted, pairs }: { counted: Sums; pairs: ReadonlyMap<string, Pair> },
): readonly TotalDefect[] {
  const none: Sum = { sold: 0n, received: 0n, swaps: 0 }
  return [...new Set([...booked.keys(), ...counted.keys()])].flatMap((name) => {
    const [told, sum] = [booked.get(name) ?? none, counted.get(name) ?? none]
    const same =
      told.sold === sum.sold && told.received === sum.received && told.swaps === sum.swaps
    if (same) return []
    const pair = pairs.get(name)
    const shown = { booked: shownOf(told, pair), counted: shownOf(sum, pair) }
    return [{ name, booked: textOf(told), counted: textOf(sum), shown }]
  })
}

const textOf = ({ sold, received, swaps }: Sum) =>
  `${sold} sold and ${received} received in ${swaps} swaps`

/** In units of the tokens; in smallest units where the pair is in no row and no entry any more. */
function shownOf(sum: Sum, pair: Pair | undefined): string {
  if (pair === undefined) return textOf(sum)
  const [sold, received] = [
    show({ token: pair.sell, wei: sum.sold }),
    show({ token: pair.buy, wei: sum.received }),
  ]
  return `${sold} sold and ${received} received in ${sum.swaps} swaps`
}
