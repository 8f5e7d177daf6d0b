import type { Token } from '../../core/token.ts'
import type { Level } from './level.ts'
import { priceScale } from './priceScale.ts'

type Pair = { readonly base: Token; readonly quote: Token }

/** A JSON number carries 15 decimal digits exactly, so a published amount has no more. */
const digitsMax = 15

/** Cuts bids to the quote tokens that are there to pay for them. */
export function trimBids(
  { base, quote }: Pair,
  levels: readonly Level[],
  quoteWei: bigint,
): readonly Level[] {
  const affordable = quoteWei * 10n ** BigInt(base.decimals + priceScale)
  return trim(levels, affordable, ({ price }) => price * 10n ** BigInt(quote.decimals))
}

/** Cuts asks to the base tokens that are there to be sold. */
export function trimAsks(levels: readonly Level[], baseWei: bigint): readonly Level[] {
  return trim(levels, baseWei, () => 1n)
}

/** Cuts levels to a sum of amount × price, as {@link costOf} counts it. */
export function trimToCost(levels: readonly Level[], cost: bigint): readonly Level[] {
  return trim(levels, cost, ({ price }) => price)
}

/** Everything a list of levels costs, exact: base units × scaled price. */
export function costOf(levels: readonly Level[]): bigint {
  return levels.reduce((sum, { amount, price }) => sum + amount * price, 0n)
}

/** Keeps levels while `budget` lasts; the one that exhausts it is shortened, and what is worse than it is left out. */
function trim(
  levels: readonly Level[],
  budget: bigint,
  unitCostOf: (level: Level) => bigint,
): readonly Level[] {
  const kept: Level[] = []
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

function shorten(amount: bigint): bigint {
  const excess = amount.toString().length - digitsMax
  if (excess <= 0) return amount
  const unit = 10n ** BigInt(excess)
  return (amount / unit) * unit
}
