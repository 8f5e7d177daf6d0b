import { type Amount, isAmount } from './amount.ts'
import { assert } from './assert.ts'
import { formatDecimal } from './decimal.ts'
import { oneWhole, sameToken } from './token.ts'

/** An exchange rate kept as the two amounts it came from, so it never rounds. */
export type Price = { readonly sold: Amount; readonly bought: Amount }

/** Compares two rates of one pair by cross-multiplication: below 0, 0 or above 0. Higher pays the seller more. */
export function comparePrices(a: Price, b: Price): number {
  assertSamePair(a, b)
  const left = a.bought.wei * b.sold.wei
  const right = b.bought.wei * a.sold.wei
  return left < right ? -1 : left > right ? 1 : 0
}

/** The proceeds of selling `sell` at this rate. Rounds up: as a minimum it favours the seller. */
export function minimumAt(price: Price, sell: Amount): Amount {
  assert(sameToken(price.sold.token, sell.token), 'a price applies to the token it sells')
  assert(price.sold.wei > 0n, 'a price sells more than nothing')
  const numerator = price.bought.wei * sell.wei
  const wei = (numerator + price.sold.wei - 1n) / price.sold.wei
  return { token: price.bought.token, wei }
}

/** The worth of `sell` at this rate. Rounds down: a reference states no more than it knows. */
export function worthAt(price: Price, sell: Amount): Amount {
  assert(sameToken(price.sold.token, sell.token), 'a price applies to the token it sells')
  assert(price.sold.wei > 0n, 'a price sells more than nothing')
  return { token: price.bought.token, wei: (price.bought.wei * sell.wei) / price.sold.wei }
}

/** The same rate seen from the other side. Exact. */
export function invertPrice({ sold, bought }: Price): Price {
  return { sold: bought, bought: sold }
}

/** The rate of selling through a third token: `first` buys what `second` sells. Exact: nothing is rounded in between. */
export function crossPrices(first: Price, second: Price): Price {
  assert(sameToken(first.bought.token, second.sold.token), 'a cross meets in one token')
  return {
    sold: { token: first.sold.token, wei: first.sold.wei * second.sold.wei },
    bought: { token: second.bought.token, wei: first.bought.wei * second.bought.wei },
  }
}

/** The rate that pays `bps` more, or less where they are negative. Exact: the amounts grow instead. */
export function shiftPrice({ sold, bought }: Price, bps: number): Price {
  assert(Number.isInteger(bps) && bps >= -10_000, 'a price pays no less than nothing')
  return {
    sold: { token: sold.token, wei: sold.wei * 10_000n },
    bought: { token: bought.token, wei: bought.wei * BigInt(10_000 + bps) },
  }
}

/**
 * The two prices as near to each other as they may be, since each amount is rounded to a whole unit; the same one twice
 * where that explains all of their difference.
 */
export function drawTogether(one: Price, other: Price): readonly [Price, Price] {
  const order = comparePrices(one, other)
  if (order === 0) return [one, other]
  const [low, high] = order < 0 ? [one, other] : [other, one]
  const raised = { ...low, bought: { ...low.bought, wei: low.bought.wei + 1n } }
  const lowered = { ...high, sold: { ...high.sold, wei: high.sold.wei + 1n } }
  if (comparePrices(raised, lowered) >= 0) return [other, other]
  return order < 0 ? [raised, lowered] : [lowered, raised]
}

/** How far `price` is from `reference` in hundredths of a basis point; negative pays less. Rounds toward less. */
export function differencePpm(price: Price, reference: Price): bigint {
  assertSamePair(price, reference)
  const scaled = price.bought.wei * reference.sold.wei * 1_000_000n
  const base = reference.bought.wei * price.sold.wei
  assert(base > 0n, 'the reference price is above zero')
  return floorDivide(scaled - base * 1_000_000n, base)
}

/** `3000.5 USDC per WETH`, cut (not rounded) after `digits` decimals; without them after six, or four digits that count. */
export function showPrice(price: Price, digits?: number): string {
  const { sold, bought } = price
  assert(sold.wei > 0n, 'a price sells more than nothing')
  const unitsAt = (decimals: number) =>
    (bought.wei * 10n ** BigInt(sold.token.decimals + decimals)) /
    (sold.wei * oneWhole(bought.token))
  let shown = digits ?? 6
  if (digits === undefined) while (unitsAt(shown) < 1_000n && shown < decimalsMax) shown += 1
  return `${formatDecimal(unitsAt(shown), shown)} ${bought.token.symbol} per ${sold.token.symbol}`
}

/** Of a price that is written; a smaller one is zero to anybody. */
const decimalsMax = 36

function assertSamePair(a: Price, b: Price): void {
  assert(
    sameToken(a.sold.token, b.sold.token) && sameToken(a.bought.token, b.bought.token),
    'prices compare within one pair and direction',
  )
}

function floorDivide(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator
  return numerator % denominator !== 0n && numerator < 0n !== denominator < 0n
    ? quotient - 1n
    : quotient
}

/** Whether a value of unknown kind, such as a parameter, is a price. */
export const isPrice = (value: unknown): value is Price => {
  const { sold, bought } = (value ?? {}) as Partial<Price>
  return isAmount(sold) && isAmount(bought)
}
