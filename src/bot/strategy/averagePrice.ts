import type { Price } from '../../core/price.ts'
import { sameToken } from '../../core/token.ts'

/**
 * The prices of the pair of `like` among these as one: all that was sold for all that was bought, exact.
 * For equal amounts sold that is the harmonic mean of what a bought unit cost. Undefined of none.
 */
export function averagePrice(prices: readonly Price[], { sold, bought }: Price): Price | undefined {
  const same = prices.filter(
    (price) =>
      sameToken(price.sold.token, sold.token) && sameToken(price.bought.token, bought.token),
  )
  if (same.length === 0) return undefined
  const sum = (side: 'sold' | 'bought') => same.reduce((all, price) => all + price[side].wei, 0n)
  return {
    sold: { token: sold.token, wei: sum('sold') },
    bought: { token: bought.token, wei: sum('bought') },
  }
}
