import type { Kysely } from 'kysely'
import { sameToken, type Token } from '../../core/token.ts'
import type { Plan, Spent } from '../stages.ts'
import { deadStates, openStates, type SwapState } from '../state.ts'
import type { Coin } from './coin.ts'
import type { Tables } from './tables.ts'

const hour = 60 * 60 * 1_000
const day = 24 * hour

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
  const rows = await db
    .selectFrom('swap')
    .select(['amount_in', 'sell_token', 'strategy', 'notional', 'notional_unit', 'signed_at'])
    .where('chain_id', '=', sell.token.chainId)
    .where('wallet', '=', plan.wallet.toLowerCase())
    .where((where) =>
      where.or([where('state', 'in', [...openStates]), where('signed_at', '>', at - day)]),
    )
    .where('state', 'not in', [...deadStates])
    .where('id', '!=', plan.swapId)
    .execute()
  const [sold, bought] = [namesOf(sell.token, coin), namesOf(buy, coin)]
  const last = await db
    .selectFrom('swap')
    .select(({ fn }) => fn.max('created_at').as('at'))
    .where('strategy', '=', plan.strategy)
    .where(({ and, eb, or }) =>
      or([
        and([eb('sell_token', 'in', sold), eb('buy_token', 'in', bought)]),
        and([eb('sell_token', 'in', bought), eb('buy_token', 'in', sold)]),
      ]),
    )
    .where('state', 'not in', [...unbegun])
    .where('id', '!=', plan.swapId)
    .executeTakeFirst()

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
    lastAt: last?.at ?? undefined,
  }
}

/** The addresses an asset goes by: a strategy that alternates between the two of the coin waits all the same. */
function namesOf(token: Token, coin: Coin | undefined): string[] {
  const both = coin === undefined ? [] : [coin.native, coin.wrapped]
  const names = both.some((name) => sameToken(name, token)) ? both : [token]
  return names.map(({ address }) => address.toLowerCase())
}
