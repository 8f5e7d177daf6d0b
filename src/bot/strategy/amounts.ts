import type { Amount } from '../../core/amount.ts'
import { assert } from '../../core/assert.ts'
import { invertPrice, type Price, worthAt } from '../../core/price.ts'
import {
  isDollar,
  oneWhole,
  sameAddress,
  sameToken,
  type Token,
  usdAddress,
} from '../../core/token.ts'
import type { Context, Own } from './strategy.ts'

/** The balance of one token; zero of a token that is not among them. */
export function held(balances: readonly Amount[], token: Token): Amount {
  return balances.find((balance) => sameToken(balance.token, token)) ?? { token, wei: 0n }
}

/** The balance above an amount that is kept; below zero where less than that is held. */
export function heldAbove(balances: readonly Amount[], { token, wei }: Amount): Amount {
  return { token, wei: held(balances, token).wei - wei }
}

/** The smallest of these. */
export function minOf(first: bigint, ...others: readonly bigint[]): bigint {
  let found = first
  for (const value of others) if (value < found) found = value
  return found
}

/** The largest of these. */
export function maxOf(first: bigint, ...others: readonly bigint[]): bigint {
  let found = first
  for (const value of others) if (value > found) found = value
  return found
}

/** The smallest of several amounts of one token; what is undefined bounds nothing. */
export function minAmount(first: Amount, ...others: readonly (Amount | undefined)[]): Amount {
  return others.reduce<Amount>((least, other) => {
    if (other === undefined) return least
    assert(sameToken(other.token, least.token), 'amounts compare within one token')
    return other.wei < least.wei ? other : least
  }, first)
}

/**
 * All that a strategy has sold of one token, for whatever token: settled, and in flight as if it were to settle.
 * Never less than the truth, so a budget held to it is never exceeded.
 */
export function totalSold(
  { totals, inflight }: Pick<Own, 'totals' | 'inflight'>,
  token: Token,
): Amount {
  const sold = [...totals.map((total) => total.sold), ...inflight.map((open) => open.sell)]
  const wei = sold
    .filter((amount) => sameToken(amount.token, token))
    .reduce((sum, amount) => sum + amount.wei, 0n)
  return { token, wei }
}

/** How many swaps have settled that sold this token, or any. */
export function countSwaps({ totals }: Pick<Own, 'totals'>, token?: Token): number {
  return totals
    .filter(({ sold }) => token === undefined || sameToken(sold.token, token))
    .reduce((sum, { swaps }) => sum + swaps, 0)
}

/** The part of a lifetime limit that a strategy has not sold yet; zero at least. See {@link totalSold}. */
export function leftOf(own: Pick<Own, 'totals' | 'inflight'>, limit: Amount): Amount {
  const { token, wei } = limit
  return { token, wei: maxOf(0n, wei - totalSold(own, token).wei) }
}

/** An amount, cut to what one swap may sell of it by the policy. */
export const cutToLimit = (limits: Pick<Context<unknown>, 'swapLimits'>, sell: Amount): Amount =>
  minAmount(sell, swapMax(limits, sell.token))

/**
 * The most of a token that one swap may sell by the policy, which refuses one without a limit. By a price of the token also
 * what policy lets one swap be worth, where either side counts in that unit. Undefined where neither is known.
 */
export function swapMax(
  {
    swapLimits = [],
    swapWorth,
  }: Pick<Context<unknown>, 'swapLimits'> & Partial<Pick<Context<unknown>, 'swapWorth'>>,
  token: Token,
  price?: Price,
): Amount | undefined {
  const limit = swapLimits.find((one) => sameToken(one.token, token))
  const worth = price && swapWorth && soldFor(swapWorth, price)
  if (limit === undefined || worth === undefined) return limit ?? worth
  return minAmount(limit, worth)
}

/** A hundredth less: policy holds it to the references, whose prices are a little different. */
function soldFor(worth: Amount, { sold, bought }: Price): Amount | undefined {
  const own = (token: Token): Amount => ({
    token,
    wei: (worth.wei * oneWhole(token) * 99n) / (oneWhole(worth.token) * 100n),
  })
  if (countsIn(worth.token, sold.token)) return own(sold.token)
  return countsIn(worth.token, bought.token)
    ? worthAt(invertPrice({ sold, bought }), own(bought.token))
    : undefined
}

/** Whether a token counts as a unit of worth: it is that, or a dollar by its name where that is the dollar. */
export const countsIn = (unit: Token, token: Token): boolean =>
  sameToken(token, unit) || (sameAddress(unit.address, usdAddress) && isDollar(token))
