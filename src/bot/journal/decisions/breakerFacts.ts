import type { Kysely } from 'kysely'
import { z } from 'zod'
import type { Price } from '../../../core/price.ts'
import { hourMs } from '../../../core/spans.ts'
import type { Address } from '../../../core/token.ts'
import type { EndFacts } from '../../stages.ts'
import { isFinal } from '../../state.ts'
import { readFacts } from '../log/facts.ts'
import { bound, type Store, stamped } from '../store/store.ts'
import type { Tables } from '../store/tables.ts'
import { amountText } from '../store/text.ts'

/** The facts that the breakers judge by. */
export const createBreakerFacts = (store: Store) => ({
  ...bound(store, { lastLook }),
  ...stamped(store, { endFacts, pricesOfDay, notePrice }),
})

/**
 * Ends that reflect on the strategy, its service or its wallet. An abandoned swap reflects on none, though its
 * approvals cost gas.
 */
const countedEnds = ['SETTLED', 'REVERTED', 'EXPIRED_DEAD', 'DISPLACED', 'REJECTED'] as const

/** Of those, the ones that were signed. */
const signedEnds = ['SETTLED', 'REVERTED', 'EXPIRED_DEAD', 'DISPLACED'] as const

/** Looked back at most: more than half an hour of them has; no count is configured above 100. */
const endsMax = 300

const day = 24 * 60 * 60 * 1_000

/** All that the breakers need of a swap that has ended; undefined for one that has not. */
async function endFacts(
  db: Kysely<Tables>,
  { swapId, at }: { swapId: string; at: number },
): Promise<EndFacts | undefined> {
  const row = await db
    .selectFrom('swap')
    .leftJoin('quote', 'quote.swap_id', 'swap.id')
    .selectAll('swap')
    .select('quote.minimum')
    .where('swap.id', '=', swapId)
    .executeTakeFirst()
  if (row === undefined || !isFinal(row.state)) return undefined
  const { strategy, wallet } = row
  const ends = db
    .selectFrom('swap')
    .select(['state', 'code', 'updated_at as at'])
    .orderBy('updated_at', 'desc')
    .orderBy('id', 'desc')
    .limit(endsMax)
  const [strategyEnds, walletEnds, gasPaid, failedChecks] = [
    await ends
      .where('strategy', '=', strategy)
      .where('state', 'in', countedEnds)
      .where('updated_at', '>', await lookedAt(db, `strategy ${strategy}`, 'REFUSALS'))
      .execute(),
    await ends
      .where('wallet', '=', wallet)
      .where('state', 'in', signedEnds)
      .where('updated_at', '>', await lookedAt(db, `wallet ${wallet}`, 'FAILURES'))
      .execute(),
    await gasPaidSince(db, { wallet, since: at - day }),
    await failedChecksOf(db, swapId),
  ]
  return {
    at,
    id: swapId,
    strategy,
    wallet: wallet as Address,
    swap: {
      state: row.state,
      code: row.code,
      received: row.received === null ? undefined : BigInt(row.received),
      minimum: row.minimum === null ? undefined : BigInt(row.minimum),
      short: row.short === null ? undefined : row.short === 1,
      failedChecks,
    },
    strategyEnds,
    walletEnds,
    gasPaid,
  }
}

/** When a person last released such a lock: what came before has been looked at. */
async function lookedAt(db: Kysely<Tables>, scope: string, code: string): Promise<number> {
  const row = await db
    .selectFrom('lock')
    .select(({ fn }) => fn.max('released_at').as('at'))
    .where('scope', '=', scope)
    .where('code', '=', code)
    .executeTakeFirst()
  return row?.at ?? 0
}

async function gasPaidSince(
  db: Kysely<Tables>,
  { wallet, since }: { wallet: string; since: number },
): Promise<EndFacts['gasPaid']> {
  const swaps = await db
    .selectFrom('swap')
    .select(['updated_at as at', 'gas_paid'])
    .where('wallet', '=', wallet)
    .where('updated_at', '>', since)
    .execute()
  const approvals = await db
    .selectFrom('attempt')
    .select(['created_at as at', 'gas_paid'])
    .where('wallet', '=', wallet)
    .where('created_at', '>', since)
    .execute()
  return [...swaps, ...approvals].flatMap(({ at, gas_paid }) =>
    gas_paid === null ? [] : [{ at, wei: BigInt(gas_paid) }],
  )
}

async function failedChecksOf(db: Kysely<Tables>, swapId: string): Promise<readonly string[]> {
  const row = await db
    .selectFrom('event')
    .select('facts')
    .where('swap_id', '=', swapId)
    .where('type', '=', 'REJECTED')
    .executeTakeFirst()
  if (row === undefined) return []
  const { checks } = readFacts('rejected', row.facts)
  return checks.filter(({ ok }) => !ok).map(({ name }) => name)
}

const looked = z.object({
  indications: z.array(z.object({ sold: amountText, bought: amountText }).nullable()),
})

/** The prices a strategy saw at its last look, in the order of its watches; undefined before the first. */
async function lastLook(
  db: Kysely<Tables>,
  { strategy }: { strategy: string },
): Promise<{ at: number; prices: readonly (Price | undefined)[] } | undefined> {
  const row = await db
    .selectFrom('decision')
    .select(['at', 'context', 'last_at', 'last_seen'])
    .where('strategy', '=', strategy)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { indications } = looked.parse(JSON.parse(row.last_seen ?? row.context))
  return { at: row.last_at ?? row.at, prices: indications.map((one) => one ?? undefined) }
}

/** A kept price, and the scope of the locks of its pair. */
type Seen = { readonly price: Price; readonly scope: string; readonly at: number }

/** The hour a price is kept under. A day goes back to the same hour of yesterday, so that a daily slot finds it. */
const hourOf = (at: number) => Math.floor(at / hourMs)
const hoursOfDay = 24

const pairOf = ({ sold, bought }: Price) => ({
  chain_id: sold.token.chainId,
  sell_token: sold.token.address.toLowerCase(),
  buy_token: bought.token.address.toLowerCase(),
})

/**
 * Prices of the same pair in the last day, one for each hour in which one was seen, oldest first; and whether this hour
 * has one. What came before a person last released a drift of the pair is left out.
 */
async function pricesOfDay(
  db: Kysely<Tables>,
  { price, scope, at }: Seen,
): Promise<{ readonly before: readonly Price[]; readonly hasHour: boolean }> {
  const pair = pairOf(price)
  const rows = await db
    .selectFrom('price')
    .select(['hour', 'at', 'sold', 'bought'])
    .where('chain_id', '=', pair.chain_id)
    .where('sell_token', '=', pair.sell_token)
    .where('buy_token', '=', pair.buy_token)
    .where('hour', '>=', hourOf(at) - hoursOfDay)
    .orderBy('hour')
    .execute()
  const released = await lookedAt(db, scope, 'PRICE_DRIFT')
  const known = rows.filter((row) => row.at > released)
  return {
    before: known.map(({ sold, bought }) => ({
      sold: { token: price.sold.token, wei: BigInt(sold) },
      bought: { token: price.bought.token, wei: BigInt(bought) },
    })),
    hasHour: known.some(({ hour }) => hour === hourOf(at)),
  }
}

/** Keeps a price as that of its hour. A person who released the drift wants the one seen after that. */
async function notePrice(db: Kysely<Tables>, { price, at }: Omit<Seen, 'scope'>): Promise<void> {
  const seen = { at, sold: price.sold.wei.toString(), bought: price.bought.wei.toString() }
  await db.transaction().execute((trx) =>
    trx
      .insertInto('price')
      .values({ ...pairOf(price), hour: hourOf(at), ...seen })
      .onConflict((conflict) =>
        conflict.columns(['chain_id', 'sell_token', 'buy_token', 'hour']).doUpdateSet(seen),
      )
      .execute(),
  )
}
