import type { Token } from '../../core/token.ts'
import type { Level } from './level.ts'
import { priceScale } from './priceScale.ts'
import { smaller } from './smaller.ts'

/** The two tokens whose decimals turn levels into amounts. */
type Pair = { readonly base: Token; readonly quote: Token }

/**
 * Sells base into bids: each level in the listed order at its own price, the last one taken in part.
 * One division at the end, rounded down for the maker. Undefined beyond the depth: nothing is extrapolated.
 */
export function sellIntoBids(
  { base, quote }: Pair,
  levels: readonly Level[],
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
  { base, quote }: Pair,
  levels: readonly Level[],
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
