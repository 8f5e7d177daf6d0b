import { larger, smaller } from '../../core/holdings.ts'
import type { Token } from '../../core/token.ts'

/** One step of a maker's book, exact: an amount of base in its smallest unit, and a price scaled by `priceScale`. */
export type MakerLevel = { readonly amount: bigint; readonly price: bigint }

/** Decimals of a price in quote units per base unit: 15 digits of a price down to 10^-9 fit. */
export const priceScale = 24

/** The two tokens whose decimals turn levels into amounts. */
export type LevelPair = { readonly base: Token; readonly quote: Token }

/**
 * Sells base into bids: each level in the listed order at its own price, the last one taken in part.
 * One division at the end, rounded down for the maker. Undefined beyond the depth: nothing is extrapolated.
 */
export function sellIntoBids(
  { base, quote }: LevelPair,
  levels: readonly MakerLevel[],
  sellWei: bigint,
): bigint | undefined {
  let left = sellWei
  let cost = 0n
  for (const { amount, price } of levels) {
    const taken = smaller(left, amount)
    cost += taken * price
    left -= taken
    if (left === 0n) break
  }
  return left > 0n ? undefined : (cost * unit(quote.decimals)) / unit(base.decimals + priceScale)
}

/**
 * Sells quote into asks: pays for each level in the listed order. The only rounding is in the level taken in part,
 * down, for the maker.
 */
export function sellIntoAsks(
  { base, quote }: LevelPair,
  levels: readonly MakerLevel[],
  sellWei: bigint,
): bigint | undefined {
  // Both sides in units of 10^-(base + quote + price decimals), so that nothing is divided on the way.
  let left = sellWei * unit(base.decimals + priceScale)
  let bought = 0n
  for (const { amount, price } of levels) {
    const unitCost = price * unit(quote.decimals)
    const cost = amount * unitCost
    if (left < cost) {
      bought += left / unitCost
      left = 0n
      break
    }
    bought += amount
    left -= cost
  }
  return left > 0n ? undefined : bought
}

const unit = (decimals: number) => 10n ** BigInt(decimals)

/** A JSON number carries 15 decimal digits exactly, so a published amount has no more. */
const digitsMax = 15

/** Cuts bids to the quote tokens that are there to pay for them. */
export function trimBids(
  { base, quote }: LevelPair,
  levels: readonly MakerLevel[],
  quoteWei: bigint,
): readonly MakerLevel[] {
  const affordable = quoteWei * 10n ** BigInt(base.decimals + priceScale)
  return trim(levels, affordable, ({ price }) => price * 10n ** BigInt(quote.decimals))
}

/** Cuts asks to the base tokens that are there to be sold. */
export function trimAsks(levels: readonly MakerLevel[], baseWei: bigint): readonly MakerLevel[] {
  return trim(levels, baseWei, () => 1n)
}

/** Cuts levels to a sum of amount × price, as {@link costOf} counts it. */
function trimToCost(levels: readonly MakerLevel[], cost: bigint): readonly MakerLevel[] {
  return trim(levels, cost, ({ price }) => price)
}

/** Everything a list of levels costs, exact: base units × scaled price. */
function costOf(levels: readonly MakerLevel[]): bigint {
  return levels.reduce((sum, { amount, price }) => sum + amount * price, 0n)
}

/** Everything a list of levels sells, in base. */
export const depthOf = (levels: readonly MakerLevel[]): bigint =>
  levels.reduce((sum, { amount }) => sum + amount, 0n)

/** Keeps levels while `budget` lasts; the one that exhausts it is shortened, and what is worse than it is left out. */
function trim(
  levels: readonly MakerLevel[],
  budget: bigint,
  unitCostOf: (level: MakerLevel) => bigint,
): readonly MakerLevel[] {
  const kept: MakerLevel[] = []
  let left = budget
  for (const level of levels) {
    if (level.amount === 0n || level.price === 0n) continue
    const cost = unitCostOf(level)
    const amount = left < level.amount * cost ? shorten(left / cost) : level.amount
    if (amount > 0n) kept.push({ amount, price: level.price })
    if (amount < level.amount) break
    left -= amount * cost
  }
  return kept
}

/** The next amount that a JSON number carries: below, or above. */
export const shorten = (amount: bigint): bigint => amount - (amount % lastDigit(amount))
export const lengthen = (amount: bigint): bigint => shorten(amount + lastDigit(amount) - 1n)

const lastDigit = (amount: bigint) => unit(Math.max(0, amount.toString().length - digitsMax))

/** Amounts a maker can pay with, not promised to any party. */
export type Free = { readonly base: bigint; readonly quote: bigint }

/**
 * A book cut to what the maker can pay.
 *
 * How much can be sold into a side does not depend on the expiry: it is what the maker could take at its best prices,
 * those of no time at all. Otherwise a shorter expiry, whose better prices use up the inventory sooner, would be refused
 * a size that a longer one is given.
 */
export function levelsToOffer(
  { base, quote }: { base: Token; quote: Token },
  { levels, timeless, free }: { levels: Levels; timeless: Levels; free: Free },
): Levels {
  const pair = { base, quote }
  const bid = trimBids(pair, timeless.bid, free.quote)
  const ask = trimAsks(timeless.ask, free.base)
  // A book that does not charge for time is its own.
  if (levels === timeless) return { bid, ask }
  const depth = depthOf(bid)
  return {
    bid: trimBids(pair, trimAsks(levels.bid, depth), free.quote),
    ask: trimToCost(trimAsks(levels.ask, free.base), costOf(ask)),
  }
}

/** What a book asks of its maker at most, by token: with more than that free, nothing of it is cut. */
export function fullCost(
  { base, quote }: LevelPair,
  { levels, timeless }: { levels: Levels; timeless: Levels },
): Free {
  const inQuote = larger(costOf(levels.bid), costOf(timeless.bid)) * unit(quote.decimals)
  return {
    base: larger(depthOf(levels.ask), depthOf(timeless.ask)),
    // Rounded up: with a unit less the last level would be cut.
    quote: inQuote / unit(base.decimals + priceScale) + 1n,
  }
}

/** Both sides of one pair of a maker. `bid`: the maker buys base; `ask`: the maker sells base. */
export type Levels = { readonly bid: readonly MakerLevel[]; readonly ask: readonly MakerLevel[] }
