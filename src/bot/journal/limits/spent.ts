import type { Kysely } from 'kysely'
import { type Address, type Coin, sameToken, type Token } from '../../../core/token.ts'
import type { BooksScope, CountedSwap } from '../../books.ts'
import type { Plan, Spent } from '../../stages.ts'
import { deadStates, type SwapState } from '../../state.ts'
import { openIds } from '../store/openIds.ts'
import type { Tables } from '../store/tables.ts'

const hour = 60 * 60 * 1_000
const day = 24 * hour

const dead: readonly SwapState[] = deadStates

/** Refused or given up before anything was signed: it began nothing that a cooldown would have to wait for. */
const unbegun: readonly SwapState[] = ['REJECTED', 'ABANDONED']

/**
 * What the wallet's other swaps took of the limits in the 24 hours before `at`. What is open counts however old it is,
 * and what has ended counts from its signature: a plan may wait for its approvals longer than a limit looks back.
 */
export async function spent(
  db: Kysely<Tables>,
  { plan, at, coin }: { plan: Plan; at: number; coin: Coin | undefined },
): Promise<Spent> {
  const { sell, buy } = plan.intent
  const known = await candidates(db, { plan, at })
  const rows = known.filter(
    (row) =>
      row.chain_id === sell.token.chainId &&
      row.wallet === plan.wallet.toLowerCase() &&
      !dead.includes(row.state) &&
      row.id !== plan.swapId,
  )
  const [sold, bought] = [namesOf(sell.token, coin), namesOf(buy, coin)]
  const pairs = sold.flatMap((a) => bought.flatMap((b) => [[a, b] as const, [b, a] as const]))
  const lasts = await Promise.all(pairs.map((pair) => lastOf(db, { plan, pair })))

  const unit = plan.notional?.token.address.toLowerCase()
  const counted = rows.filter(({ notional_unit }) => notional_unit === unit)
  const sum = (some: typeof rows) =>
    some.reduce((total, { notional }) => total + BigInt(notional ?? 0), 0n)
  return {
    sold: rows
      .filter(({ sell_token }) => sell_token === sell.token.address.toLowerCase())
      .reduce((total, { amount_in }) => total + BigInt(amount_in), 0n),
    hour: sum(counted.filter(({ signed_at }) => signed_at === null || signed_at > at - hour)),
    day: sum(counted),
    strategy: sum(counted.filter(({ strategy }) => strategy === plan.strategy)),
    otherUnit: rows.length - counted.length,
    lastAt: lasts.reduce((last, one) => later(last, one), undefined),
  }
}

/** What is open, of whichever wallet, and what this one signed in the last day: one index each. */
async function candidates(db: Kysely<Tables>, { plan, at }: { plan: Plan; at: number }) {
  const columns = [
    ...(['id', 'chain_id', 'wallet', 'state', 'amount_in', 'sell_token', 'strategy'] as const),
    ...(['notional', 'notional_unit', 'signed_at'] as const),
  ]
  const signed = await db
    .selectFrom('swap')
    .select(columns)
    .where('chain_id', '=', plan.intent.sell.token.chainId)
    .where('wallet', '=', plan.wallet.toLowerCase())
    .where('signed_at', '>', at - day)
    .execute()
  const ids = await openIds(db)
  const open =
    ids.length === 0
      ? []
      : await db.selectFrom('swap').select(columns).where('id', 'in', ids).execute()
  return [...signed, ...open.filter(({ id }) => !signed.some((one) => one.id === id))]
}

const later = (a: number | undefined, b: number | undefined) =>
  a === undefined || (b !== undefined && b > a) ? b : a

/** When the strategy last began a swap of one token for another. */
async function lastOf(
  db: Kysely<Tables>,
  { plan, pair: [sell, buy] }: { plan: Plan; pair: readonly [string, string] },
): Promise<number | undefined> {
  const row = await db
    .selectFrom('swap')
    .select('created_at')
    .where('strategy', '=', plan.strategy)
    .where('sell_token', '=', sell)
    .where('buy_token', '=', buy)
    .where('state', 'not in', [...unbegun])
    .where('id', '!=', plan.swapId)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.created_at
}

/** The addresses an asset goes by: a strategy that alternates between the two of the coin waits all the same. */
function namesOf(token: Token, coin: Coin | undefined): string[] {
  const both = coin === undefined ? [] : [coin.native, coin.wrapped]
  const names = both.some((name) => sameToken(name, token)) ? both : [token]
  return names.map(({ address }) => address.toLowerCase())
}

/** Every swap that counts against a limit at `at`: what is open, however old, and what was signed within a day and is not dead. */
export async function countedSwaps(
  db: Kysely<Tables>,
  { chainId, wallet, at }: BooksScope & { at: number },
): Promise<readonly CountedSwap[]> {
  const counted = db
    .selectFrom('swap')
    .select(['id', 'strategy', 'sell_token', 'amount_in', 'notional', 'notional_unit', 'signed_at'])
    .where('chain_id', '=', chainId)
    .where('wallet', '=', wallet.toLowerCase())
  const open = await openIds(db)
  // Asked apart; `openIds` says why. A swap that was signed within a day and is open comes with both.
  const found = [
    ...(open.length === 0 ? [] : await counted.where('id', 'in', open).execute()),
    ...(await counted
      .where('signed_at', '>', at - day)
      .where('state', 'not in', [...deadStates])
      .execute()),
  ]
  const rows = [...new Map(found.map((row) => [row.id, row])).values()]
  return rows.map((row) => ({
    swapId: row.id,
    strategy: row.strategy,
    sellToken: row.sell_token as Address,
    amountIn: BigInt(row.amount_in),
    notional: BigInt(row.notional ?? 0),
    unit: row.notional_unit ?? undefined,
    signedAt: row.signed_at ?? undefined,
  }))
}
