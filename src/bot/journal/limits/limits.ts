import type { Kysely, Selectable } from 'kysely'
import { z } from 'zod'
import type { Amount } from '../../../core/amount.ts'
import { compactJson } from '../../../core/json.ts'
import { recoveredStrategy } from '../../../core/reservedStrategies.ts'
import { dayMs } from '../../../core/spans.ts'
import type { Coin } from '../../../core/token.ts'
import type { BooksScope } from '../../books.ts'
import { counts, type LimitEntry, pairNames, spentOf } from '../../spent.ts'
import type { Plan, Spent } from '../../stages.ts'
import type { Total } from '../../strategy/index.ts'
import { lastEntry } from '../log/log.ts'
import type { Database } from '../store/database.ts'
import { openIds } from '../store/openIds.ts'
import { prepared } from '../store/prepared.ts'
import type { Store } from '../store/store.ts'
import type { SwapTable, Tables } from '../store/tables.ts'
import { tokenText } from '../store/text.ts'
import { usedOfTreasury } from './treasury.ts'

export function createLimits({ db, clock, coin }: Store) {
  // Every change of a swap appends to the log in the same transaction: while its last entry stands, so do these rows.
  let known: { readonly of: string; readonly entries: readonly LimitEntry[] } | undefined
  return {
    counted: (scope: Pick<BooksScope, 'chainId' | 'wallet'>) => countedSwaps({ db, clock }, scope),
    /** What every wallet of the database uses of the limits over all of them now. */
    ofAllWallets: ({ dialect }: Pick<Database, 'dialect'>) =>
      usedOfTreasury(db, { dialect, at: clock.now() }),
    /** Use of the limits by other swaps now. Policy reads it twice within a swap, and the rows once. */
    async spent(plan: Plan): Promise<Spent> {
      const at = clock.now()
      const { hash } = await lastEntry(db)
      const { chainId } = plan.intent.sell.token
      const of = [
        hash,
        chainId,
        plan.wallet,
        plan.strategy,
        plan.swapId,
        ...pairNames(plan, coin),
      ].join(' ')
      const entries = known?.of === of ? known.entries : await limitEntries(db, { plan, at, coin })
      known = { of, entries }
      return spentOf(entries, { plan, at, coin })
    },
  }
}

const columns = [
  ...(['id', 'chain_id', 'wallet', 'state', 'amount_in', 'sell_token', 'buy_token'] as const),
  ...(['strategy', 'notional', 'notional_unit', 'signed_at', 'created_at'] as const),
]
type Row = Pick<Selectable<SwapTable>, (typeof columns)[number]>

type Asked = { readonly plan: Plan; readonly at: number; readonly coin: Coin | undefined }

/** Use of the limits by the other swaps, inside the caller's transaction. */
export const readSpent = async (db: Kysely<Tables>, asked: Asked): Promise<Spent> =>
  spentOf(await limitEntries(db, asked), asked)

/** The rows that {@link spentOf} can count, found by an index each. With time some of them stop counting, and none begins to. */
async function limitEntries(
  db: Kysely<Tables>,
  { plan, at, coin }: Asked,
): Promise<readonly LimitEntry[]> {
  const scope = { chainId: plan.intent.sell.token.chainId, wallet: plan.wallet }
  const [sold, bought] = pairNames(plan, coin)
  const pairs = sold.flatMap((a) => bought.flatMap((b) => [[a, b] as const, [b, a] as const]))
  const lasts = await Promise.all(pairs.map((pair) => lastOf(db, { plan, pair })))
  const entries = [...(await counted(db, { ...scope, at })), ...lasts.flat()]
  return [...new Map(entries.map((one) => [one.swapId, one])).values()]
}

/** Swaps of a wallet that count against the limits of a day, at the instant `at` in milliseconds since the epoch. */
export async function countedSwaps(
  { db, clock }: Pick<Store, 'db' | 'clock'>,
  scope: Pick<BooksScope, 'chainId' | 'wallet'>,
): Promise<{ readonly at: number; readonly taken: readonly LimitEntry[] }> {
  const rows = await counted(db, { ...scope, at: clock.now() })
  // After the read: what was signed up to then had the room of what was over by then.
  const at = clock.now()
  return { at, taken: rows.filter((one) => counts(one, at)) }
}

/** Open swaps, and those signed in the last day: one index each. `openIds` gives the reason for two queries. */
async function counted(
  db: Kysely<Tables>,
  { chainId, wallet, at }: Pick<BooksScope, 'chainId' | 'wallet'> & { at: number },
): Promise<readonly LimitEntry[]> {
  const scope = { chainId, address: wallet.toLowerCase() }
  const ids = await openIds(db)
  const signed = await selectSigned(db, { ...scope, since: at - dayMs })
  const rows = [
    ...signed.rows,
    ...(ids.length === 0 ? [] : await ofWallet(db, scope).where('id', 'in', ids).execute()),
  ]
  return [...new Map(rows.map((row) => [row.id, readEntry(row)])).values()]
}

const ofWallet = (db: Kysely<Tables>, where: { chainId: number; address: string }) =>
  db
    .selectFrom('swap')
    .select(columns)
    .where('chain_id', '=', where.chainId)
    .where('wallet', '=', where.address)

const selectSigned = prepared((db, where: { chainId: number; address: string; since: number }) =>
  ofWallet(db, where).where('signed_at', '>', where.since),
)

/** The last swap of one token for another that the strategy began, refused ones left out. */
async function lastOf(
  db: Kysely<Tables>,
  { plan, pair: [sell, buy] }: { plan: Plan; pair: readonly [string, string] },
): Promise<readonly LimitEntry[]> {
  const { strategy, swapId } = plan
  const { rows } = await selectLast(db, { strategy, swapId, sell, buy })
  return rows.map(readEntry)
}

const selectLast = prepared(
  (db, where: { strategy: string; swapId: string; sell: string; buy: string }) =>
    db
      .selectFrom('swap')
      .select(columns)
      .where('strategy', 'in', [where.strategy, recoveredStrategy])
      .where('sell_token', '=', where.sell)
      .where('buy_token', '=', where.buy)
      .where('state', 'not in', ['REJECTED', 'ABANDONED'])
      .where('id', '!=', where.swapId)
      .orderBy('created_at', 'desc')
      .limit(1),
)

const readEntry = (row: Row): LimitEntry => ({
  swapId: row.id,
  strategy: row.strategy,
  chainId: row.chain_id,
  wallet: row.wallet,
  state: row.state,
  sell: row.sell_token,
  buy: row.buy_token ?? undefined,
  amountIn: BigInt(row.amount_in),
  notional: BigInt(row.notional ?? 0),
  unit: row.notional_unit ?? undefined,
  signedAt: row.signed_at ?? undefined,
  createdAt: row.created_at,
})

/** All that a strategy's settled swaps ever sold, by pair; with those booked from the chain, which may be its own. */
export async function strategyTotals(
  db: Kysely<Tables>,
  strategy: string,
): Promise<readonly Total[]> {
  const { rows } = await selectTotals(db, { strategy })
  return rows.map((row) => ({
    sold: { token: tokenText.parse(JSON.parse(row.sell)), wei: BigInt(row.sold) },
    bought: { token: tokenText.parse(JSON.parse(row.buy)), wei: BigInt(row.received) },
    swaps: z.int().parse(row.swaps),
    ...(row.strategy === recoveredStrategy && strategy !== recoveredStrategy
      ? { recovered: true as const }
      : {}),
  }))
}

const selectTotals = prepared((db, where: { strategy: string }) =>
  db
    .selectFrom('strategy_total')
    .selectAll()
    .where('strategy', 'in', [where.strategy, recoveredStrategy])
    .orderBy('chain_id')
    .orderBy('sell_token')
    .orderBy('buy_token')
    .orderBy('strategy'),
)

/** Adds a settled swap, in the transaction that settles it: what was sold is never counted twice, nor left out. */
export async function addTotal(
  db: Kysely<Tables>,
  { strategy, sold, received }: { strategy: string; sold: Amount; received: Amount },
): Promise<void> {
  const pair = {
    strategy,
    // An address is another token on another chain, and what was sold there must not pass for what is sold here.
    chain_id: sold.token.chainId,
    sell_token: sold.token.address.toLowerCase(),
    buy_token: received.token.address.toLowerCase(),
  }
  const known = await db
    .selectFrom('strategy_total')
    .select(['sold', 'received', 'swaps'])
    .where('strategy', '=', pair.strategy)
    .where('chain_id', '=', pair.chain_id)
    .where('sell_token', '=', pair.sell_token)
    .where('buy_token', '=', pair.buy_token)
    .executeTakeFirst()
  const sum = {
    sold: (BigInt(known?.sold ?? 0) + sold.wei).toString(),
    received: (BigInt(known?.received ?? 0) + received.wei).toString(),
    swaps: (known?.swaps ?? 0) + 1,
  }
  await db
    .insertInto('strategy_total')
    .values({ ...pair, sell: compactJson(sold.token), buy: compactJson(received.token), ...sum })
    .onConflict((conflict) =>
      conflict.columns(['strategy', 'chain_id', 'sell_token', 'buy_token']).doUpdateSet(sum),
    )
    .execute()
}
