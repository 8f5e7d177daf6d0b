import type { Kysely, Selectable, Transaction } from 'kysely'
import { z } from 'zod'
import type { Hex } from '../../../chain/calls/fields.ts'
import { hourMs } from '../../../core/spans.ts'
import type { Address } from '../../../core/token.ts'
import type { Awaited, Found, Leg, Looked } from '../../aftermath.ts'
import type { Intent } from '../../stages.ts'
import type { SwapState } from '../../state.ts'
import { packed } from '../store/packed.ts'
import { readSwap } from '../store/rows.ts'
import { bound, type Store } from '../store/store.ts'
import type { AftermathTable, Tables } from '../store/tables.ts'
import { amountText, maskedJson, tokenText } from '../store/text.ts'

export const createAftermathReader = (store: Store) => bound(store, { refusals: pageRefusals })

/** What is read after swaps and refusals. It begins with the entry that ends or includes a swap, in the same commit. */
export const createAftermath = (store: Store) => ({
  ...createAftermathReader(store),
  ...bound(store, { due: dueAftermath, note: noteLook }),
})

const nothing = packed('{"marks":[]}')

/** Refusals that may have something left to read at once: a strategy that is refused at every look must not fill the disk. */
const refusalsMax = 500

/** A change of a swap after which there is something to read, or nothing any more. */
type Changed = {
  readonly swapId: string
  readonly type: SwapState
  readonly from: readonly SwapState[]
  readonly block: number | null | undefined
  readonly at: number
}

const unfilled: readonly SwapState[] = [
  ...(['REJECTED', 'ABANDONED', 'REVERTED', 'EXPIRED_DEAD', 'DISPLACED'] as const),
]

/** Inside the transaction of the change: whoever dies after it finds what was left to read. */
export async function changeAftermath(
  trx: Transaction<Tables>,
  { swapId, type, from, block, at }: Changed,
): Promise<void> {
  const isEnd = unfilled.includes(type)
  if (type === 'INCLUDED' || isEnd || (type === 'SETTLED' && block !== undefined)) {
    const { strategy } = await trx
      .selectFrom('swap')
      .select('strategy')
      .where('id', '=', swapId)
      .executeTakeFirstOrThrow()
    const row = { filled: isEnd ? 0 : 1, at, block: isEnd ? null : (block ?? null), next_at: at }
    await trx
      .insertInto('aftermath')
      .values({ subject: swapId, strategy, asked: null, ...row, found: nothing })
      .onConflict((known) => known.column('subject').doUpdateSet({ ...row, found: nothing }))
      .execute()
  }
  // A reorganisation took it back: what was read belongs to a block that is none.
  else if (from.includes('INCLUDED') && type !== 'SETTLED')
    await trx.deleteFrom('aftermath').where('subject', '=', swapId).execute()
}

/** Begins the subject of one, before its number. */
const refusal = 'refusal '

/** A wish that was refused before it was planned. Of one strategy and code an hour's first is followed. */
export async function beginRefusal(
  trx: Transaction<Tables>,
  {
    id,
    strategy,
    code,
    intent,
    at,
  }: {
    readonly id: number
    readonly strategy: string
    readonly code: string
    readonly intent: Pick<Intent, 'sell' | 'buy'>
    readonly at: number
  },
): Promise<void> {
  const { waiting } = await trx
    .selectFrom('aftermath')
    .select(({ fn }) => fn.countAll<number | string>().as('waiting'))
    .where('next_at', 'is not', null)
    .executeTakeFirstOrThrow()
  if (Number(waiting) >= refusalsMax) return
  const recent = await trx
    .selectFrom('aftermath')
    .select('subject')
    .where('at', '>', at - hourMs)
    .where('strategy', '=', strategy)
    .where('asked', 'is not', null)
    .execute()
  const earlier = await trx
    .selectFrom('refusal')
    .select('id')
    .where('id', 'in', [0, ...recent.map(({ subject }) => Number(subject.slice(refusal.length)))])
    .where('code', '=', code)
    .limit(1)
    .executeTakeFirst()
  if (earlier !== undefined) return
  const { sell, buy } = intent
  await trx
    .insertInto('aftermath')
    .values({
      ...{ subject: `${refusal}${id}`, strategy, filled: 0, at, block: null, next_at: at },
      asked: packed(maskedJson({ sell, buy })),
      found: nothing,
    })
    .execute()
}

const askedText = z.object({ sell: amountText, buy: tokenText })

const addressText = z.string().transform((text) => text as Address)
const hexText = z.string().transform((text) => text as Hex)
const weiText = z.string().regex(/^\d+$/).transform(BigInt)

const readText = { afterMs: z.int(), readAt: z.int(), block: z.int().optional() }
const markText = z.union([
  z.object({ ...readText, fair: weiText, sources: z.array(z.string()) }),
  z.object({ ...readText, missing: z.string() }),
])
const poolsText = { when: z.enum(['decision', 'inclusion']), block: z.int() }
const foundText = z.object({
  marks: z.array(markText),
  pools: z
    .array(
      z.union([
        z.object({ ...poolsText, pool: addressText, bought: weiText }),
        z.object({ ...poolsText, missing: z.string() }),
      ]),
    )
    .optional(),
  fills: z
    .array(
      z.object({
        by: z.enum(['maker', 'pool']),
        address: addressText,
        sold: weiText,
        bought: weiText,
      }),
    )
    .optional(),
  neighbours: z
    .object({
      pools: z.int(),
      before: z.int(),
      after: z.int(),
      suspected: z.boolean(),
      nearest: z.array(
        z.object({
          hash: hexText,
          pool: addressText,
          place: z.enum(['before', 'after']),
          side: z.enum(['same', 'opposite']),
        }),
      ),
    })
    .optional(),
})

/** What a row says was found out. Throws where the journal holds something else. */
export const readFound = (text: string): Found => foundText.parse(JSON.parse(text)) as Found

const legText = z.object({
  maker: addressText.optional(),
  sell: addressText,
  sold: weiText,
  buy: addressText,
  bought: weiText,
})

/** The legs of a quote, as its row has them. */
export const readLegs = (text: string): readonly Leg[] =>
  z.array(legText).parse(JSON.parse(text)) as readonly Leg[]

/** Those that have something to read now, the longest due first. */
async function dueAftermath(
  db: Kysely<Tables>,
  { limit, at }: { readonly limit: number; readonly at: number },
): Promise<readonly Awaited[]> {
  const rows = await db
    .selectFrom('aftermath')
    .selectAll()
    .where('next_at', '<=', at)
    .orderBy('next_at')
    .limit(limit)
    .execute()
  const ids = rows.flatMap(({ subject, asked }) => (asked === null ? subject : []))
  const swaps =
    ids.length === 0 ? [] : await db.selectFrom('swap').selectAll().where('id', 'in', ids).execute()
  const swapOf = new Map(swaps.map((row) => [row.id, readSwap(row)]))
  return rows.flatMap((row): Awaited[] => {
    const { subject, filled, block, found, asked } = row
    const swap = swapOf.get(subject)
    const wanted = asked === null ? swap?.plan.intent : askedText.parse(JSON.parse(asked))
    if (wanted === undefined) return []
    const hash = swap?.included?.transaction
    return [
      {
        ...{ subject, filled: filled === 1, at: row.at, dueAt: row.next_at ?? row.at },
        ...{ sell: wanted.sell, buy: wanted.buy, block: block ?? undefined },
        // On paper there is the name of the swap in its place.
        hash: hash?.startsWith('0x') ? hash : undefined,
        decisionBlock: swap?.plan.arrival?.block,
        found: readFound(found),
      },
    ]
  })
}

/** Writes down what a look brought. A swap that was taken back, or ended otherwise meanwhile, has begun anew. */
async function noteLook(
  db: Kysely<Tables>,
  { subject, filled, block, dueAt }: Awaited,
  { found, at, nextAt }: Looked,
): Promise<void> {
  await db.transaction().execute((trx) =>
    trx
      .updateTable('aftermath')
      .set({ found: packed(maskedJson(found)), at, next_at: nextAt ?? null })
      .where('subject', '=', subject)
      .where('filled', '=', filled ? 1 : 0)
      .where('next_at', '=', dueAt)
      .where((row) => (block === undefined ? row('block', 'is', null) : row('block', '=', block)))
      .execute(),
  )
}

/** A wish that was refused before it was planned, and what the market did afterwards. */
export type RefusedWish = {
  readonly subject: string
  readonly strategy: string
  readonly at: number
  readonly sell: Intent['sell']
  readonly buy: Intent['buy']
  readonly found: Found
}

/** Refusals of a span, in the order of their instants; a page of them. */
async function pageRefusals(
  db: Kysely<Tables>,
  {
    after,
    limit,
    since = 0,
    until = Number.MAX_SAFE_INTEGER,
    strategy,
  }: {
    readonly after?: { readonly at: number; readonly subject: string } | undefined
    readonly limit: number
    readonly since?: number | undefined
    readonly until?: number | undefined
    readonly strategy?: string | undefined
  },
): Promise<readonly RefusedWish[]> {
  let query = db.selectFrom('aftermath').selectAll().where('asked', 'is not', null)
  if (strategy !== undefined) query = query.where('strategy', '=', strategy)
  query = query.where('at', '>=', after?.at ?? since).where('at', '<', until)
  if (after !== undefined)
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('at', 'subject'), '>', tuple(after.at, after.subject)),
    )
  const rows = await query.orderBy('at').orderBy('subject').limit(limit).execute()
  return rows.map(wishOf)
}

function wishOf({ subject, strategy, at, asked, found }: Selectable<AftermathTable>): RefusedWish {
  return {
    ...{ subject, strategy, at },
    ...askedText.parse(JSON.parse(asked ?? '')),
    found: readFound(found),
  }
}
