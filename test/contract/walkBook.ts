import type { OrderPair } from '../../src/api/orderbook.ts'
import {
  exactly,
  floor,
  isLess,
  minus,
  over,
  plus,
  type Rational,
  times,
  whole,
} from './rational.ts'

type Decimals = { readonly base: number; readonly quote: number }

const unit = (decimals: number) => whole(10n ** BigInt(decimals))
const zero = whole(0n)

/**
 * Rule 2 of the specification over a row as it was published: each level in the listed order at its own price, the last
 * one in part. Undefined beyond the depth. Rounded once, down.
 */
export function sellBase(
  { levels }: OrderPair,
  { base, quote }: Decimals,
  sellWei: bigint,
): bigint | undefined {
  let left = over(whole(sellWei), unit(base))
  let paid = zero
  for (const [amount, price] of levels) {
    const size = exactly(amount)
    const taken = isLess(left, size) ? left : size
    paid = plus(paid, times(taken, exactly(price)))
    left = minus(left, taken)
  }
  return isLess(zero, left) ? undefined : floor(times(paid, unit(quote)))
}

/** The same for a buyer of base: levels are paid for in the listed order, by cost. */
export function sellQuote(
  { levels }: OrderPair,
  { base, quote }: Decimals,
  sellWei: bigint,
): bigint | undefined {
  let left = over(whole(sellWei), unit(quote))
  let bought = zero
  for (const [amount, price] of levels) {
    const cost = times(exactly(amount), exactly(price))
    const spent = isLess(left, cost) ? left : cost
    bought = plus(bought, over(spent, exactly(price)))
    left = minus(left, spent)
  }
  return isLess(zero, left) ? undefined : floor(times(bought, unit(base)))
}

/** Where one level ends and the next begins, in smallest units of what is sold; rounded down. */
export function boundaries(
  { levels, side }: OrderPair,
  { base, quote }: Decimals,
): readonly bigint[] {
  let sum: Rational = zero
  return levels.map(([amount, price]) => {
    const size = exactly(amount)
    sum = plus(sum, side === 'bid' ? size : times(size, exactly(price)))
    return floor(times(sum, unit(side === 'bid' ? base : quote)))
  })
}
