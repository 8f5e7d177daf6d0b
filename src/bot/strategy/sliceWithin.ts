import type { Amount } from '../../core/amount.ts'
import type { Level } from './strategy.ts'

/**
 * The most that can be sold into a book while its average price stays within `impactBps` of its best level.
 * Undefined of an empty book; never more than the book is deep. Rounds down, to the better price.
 *
 * With Q sold for C up to a level that sells q for c, and a bound of p = P·(1 − impact) per unit, it ends inside the
 * level at (C − Q·c/q) / (p − c/q).
 */
export function sliceWithin(levels: readonly Level[], impactBps: number): Amount | undefined {
  const [best] = levels
  if (best === undefined || best.sold.wei === 0n) return undefined
  // The bound as a fraction: nobody sells below boundBought for each boundSold on average.
  const boundBought = best.bought.wei * BigInt(10_000 - impactBps)
  const boundSold = best.sold.wei * 10_000n
  let [sold, bought] = [0n, 0n]
  for (const { sold: size, bought: cost } of levels) {
    const [nextSold, nextBought] = [sold + size.wei, bought + cost.wei]
    if (nextBought * boundSold < boundBought * nextSold) {
      const above = (bought * size.wei - sold * cost.wei) * boundSold
      const below = boundBought * size.wei - cost.wei * boundSold
      return { token: best.sold.token, wei: above / below }
    }
    ;[sold, bought] = [nextSold, nextBought]
  }
  return { token: best.sold.token, wei: sold }
}
