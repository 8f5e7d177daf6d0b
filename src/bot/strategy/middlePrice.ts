import { assert } from '../../core/assert.ts'
import type { Price } from '../../core/price.ts'
import { sameToken } from '../../core/token.ts'

/** The middle between what selling brings and what buying back costs, seen in the direction of `selling`. Exact. */
export function middlePrice(selling: Price, buyingBack: Price): Price {
  const { sold, bought } = selling
  assert(
    sameToken(sold.token, buyingBack.bought.token) &&
      sameToken(bought.token, buyingBack.sold.token),
    'the middle is between the two directions of one pair',
  )
  const [bid, ask] = [selling, { sold: buyingBack.bought, bought: buyingBack.sold }]
  return {
    sold: { token: sold.token, wei: 2n * bid.sold.wei * ask.sold.wei },
    bought: {
      token: bought.token,
      wei: bid.bought.wei * ask.sold.wei + ask.bought.wei * bid.sold.wei,
    },
  }
}
