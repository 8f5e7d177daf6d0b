import { show } from '../../core/amount.ts'
import { fillsMax } from '../fillsMax.ts'
import type { Context } from './strategy.ts'
import { most } from './most.ts'
import { isOf, type Portfolio, worthOf } from './portfolio.ts'

const dayMs = 86_400_000

/**
 * What was turned over in the last 24 hours, at the prices of now; the dearer side of each swap counts. A sentence where
 * it cannot be said: too many swaps to know all, or one of tokens that are not of the portfolio.
 */
export function turnedOver(
  { fills, now }: Pick<Context<unknown>, 'fills' | 'now'>,
  { assets }: Portfolio,
): bigint | string {
  const today = fills.filter(({ at }) => now - at < dayMs)
  if (today.length >= fillsMax)
    return `The last ${today.length} swaps are of the last 24 h: what was turned over before them is not known.`
  let total = 0n
  for (const { price } of today) {
    const [worth, ...others] = [price.bought, price.sold].flatMap(({ token, wei }) =>
      assets.filter((asset) => isOf(asset, token)).map((asset) => worthOf(asset, wei)),
    )
    if (worth === undefined)
      return `${show(price.sold)} were sold in the last 24 h, and nobody says what they are worth.`
    total += most(worth, ...others)
  }
  return total
}
