import {
  comparePrices,
  drawTogether,
  invertPrice,
  type Price,
  showPrice,
} from '../../core/price.ts'
import { assetOf, type Coin, oneWhole, sameToken } from '../../core/token.ts'
import type { NewLock } from '../lock.ts'
import type { BreakerLimits } from './breakers.ts'

/**
 * A price as it is kept: of both directions of a pair the same one, with the coin as the token that wraps it. Undefined
 * for one that states nothing.
 */
export function keptPrice({ sold, bought }: Price, coin: Coin): Price | undefined {
  const [one, other] = [sold, bought].map(({ token, wei }) => ({
    token: assetOf(token, coin),
    wei,
  })) as [Price['sold'], Price['bought']]
  if (one.wei === 0n || other.wei === 0n || sameToken(one.token, other.token)) return undefined
  const price = { sold: one, bought: other }
  const isKept = one.token.address.toLowerCase() < other.token.address.toLowerCase()
  return isKept ? price : invertPrice(price)
}

/** The scope of the lock of a kept price. */
export const scopeOfPrice = ({ sold, bought }: Price) =>
  `pair ${sold.token.symbol}/${bought.token.symbol}`

/**
 * The lock that a price opens which is far from the middle of our own prices of a day. Pure; all prices are kept ones of
 * one pair. Without earlier prices there is no opinion. Of an even number both middles must be near: half of the prices
 * is not enough to carry a lie.
 */
export function tripOnDrift(
  { at, price, before }: { at: number; price: Price; before: readonly Price[] },
  { priceDrift: { bps, lockMs } }: Pick<BreakerLimits, 'priceDrift'>,
): NewLock | undefined {
  const ordered = [...before].sort(comparePrices)
  const last = ordered.length - 1
  const middles = [ordered[Math.floor(last / 2)], ordered[Math.ceil(last / 2)]]
  const far = middles.find((middle) => middle !== undefined && isApart(price, middle, bps))
  if (far === undefined) return undefined
  const [now, then] = [price, far].map((one) => showPrice(isBelowOne(far) ? invertPrice(one) : one))
  return {
    kind: 'breaker',
    scope: scopeOfPrice(price),
    code: 'PRICE_DRIFT',
    reason: `${now} is more than ${bps} bps (breakers.priceDrift) from ${then}, the middle of ${before.length} of our own prices of the last 24 hours`,
    expiresAt: at + lockMs,
  }
}

/** In fewer units rounding is more than a hundredth of the price: it is judged, and nothing is judged by it later. */
const unitsMin = 100n

export const isRough = ({ sold, bought }: Price): boolean =>
  sold.wei < unitsMin || bought.wei < unitsMin

/** Whether a price is easier to read from the other side. */
const isBelowOne = ({ sold, bought }: Price) =>
  bought.wei * oneWhole(sold.token) < sold.wei * oneWhole(bought.token)

/** Whether the cheaper of two prices is more than so far below the dearer: the same in either direction of the pair. */
function isApart(a: Price, b: Price, bps: number): boolean {
  const [one, other] = drawTogether(a, b)
  const [left, right] = [one.bought.wei * other.sold.wei, other.bought.wei * one.sold.wei]
  const [low, high] = left < right ? [left, right] : [right, left]
  return low * 10_000n < high * BigInt(10_000 - bps)
}
