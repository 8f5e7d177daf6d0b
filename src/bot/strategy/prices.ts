import type { Amount } from '../../core/amount.ts'
import { assert } from '../../core/assert.ts'
import { formatDecimal } from '../../core/decimal.ts'
import {
  comparePrices,
  differencePpm,
  invertPrice,
  type Price,
  shiftPrice,
  showPrice,
  worthAt,
} from '../../core/price.ts'
import { sameToken, type Token } from '../../core/token.ts'
import type { Fill } from './strategy.ts'

/**
 * The prices of the pair of `like` among these as one: all that was sold for all that was bought, exact.
 * For equal amounts sold that is the harmonic mean of what a bought unit cost. Undefined of none.
 */
export function averagePrice(prices: readonly Price[], { sold, bought }: Price): Price | undefined {
  const same = prices.filter((price) => isOfPair(price, { sell: sold, buy: bought.token }))
  if (same.length === 0) return undefined
  const sum = (side: 'sold' | 'bought') => same.reduce((all, price) => all + price[side].wei, 0n)
  return {
    sold: { token: sold.token, wei: sum('sold') },
    bought: { token: bought.token, wei: sum('bought') },
  }
}

/** The worth at the market of all that these totals or fills bought; nothing where they bought none of it. Rounds down. */
export function worthOfBought(prices: readonly Price[], market: Price): bigint {
  const bought = averagePrice(prices, market)?.bought
  return bought === undefined ? 0n : worthAt(invertPrice(market), bought).wei
}

/** Whether a bought unit costs less at the market than it did in these fills on average, by `bps` or more. */
export function costsLess(
  market: Price,
  { fills, bps }: { readonly fills: readonly Fill[]; readonly bps: number },
): boolean {
  const prices = fills.map(({ price }) => price)
  const average = averagePrice(prices, market)
  if (average === undefined) return false
  return comparePrices(invertPrice(market), shiftPrice(invertPrice(average), -bps)) <= 0
}

/** Whether a price is that of selling the one token for the other. */
export function isOfPair(
  { sold, bought }: Price,
  { sell, buy }: { readonly sell: Amount; readonly buy: Token },
): boolean {
  return sameToken(sold.token, sell.token) && sameToken(bought.token, buy)
}

/** The middle between what selling brings and what buying back costs, seen in the direction of `selling`. Exact. */
export function middlePrice(selling: Price, buyingBack: Price): Price {
  const { sold, bought } = selling
  const isBack = isOfPair(invertPrice(buyingBack), { sell: sold, buy: bought.token })
  assert(isBack, 'the middle is between the two directions of one pair')
  const [bid, ask] = [selling, { sold: buyingBack.bought, bought: buyingBack.sold }]
  return {
    sold: { token: sold.token, wei: 2n * bid.sold.wei * ask.sold.wei },
    bought: {
      token: bought.token,
      wei: bid.bought.wei * ask.sold.wei + ask.bought.wei * bid.sold.wei,
    },
  }
}

/** The price that pays the most, the first of equal ones; what is undefined bounds nothing. */
export function maxPrice(first: Price, ...others: readonly (Price | undefined)[]): Price {
  return others.reduce<Price>(
    (best, other) => (other !== undefined && comparePrices(other, best) > 0 ? other : best),
    first,
  )
}

/** A price that pays something: a market that pays nothing is no market. */
export const paying = (price: Price | undefined): Price | undefined =>
  price === undefined || price.bought.wei === 0n ? undefined : price

/** Whether a price is further than `within` basis points from the reference, to either side. Exact. */
export function deviatesBeyond(
  price: Price,
  { reference, within }: { readonly reference: Price; readonly within: number },
): boolean {
  const said = price.bought.wei * reference.sold.wei
  const expected = reference.bought.wei * price.sold.wei
  const apart = said > expected ? said - expected : expected - said
  return apart * 10_000n > expected * BigInt(within)
}

/** The wording for the prices of one pair. */
type Words = {
  /** The market pays a seller, or asks a price of a buyer. */
  readonly verb: 'pays' | 'asks'
  /** `market pays 3000 USDC per WETH` */
  readonly market: (price: Price) => string
  readonly show: (price: Price) => string
}

/**
 * The usual way round of a price: `3000 USDC per WETH`, whichever of the two is sold.
 * Taken from one price for all of a sentence, so that its numbers can be compared.
 */
export function wordsFor({ sold, bought }: Price): Words {
  const [one, brings] = [10n ** BigInt(sold.token.decimals), 10n ** BigInt(bought.token.decimals)]
  const isUsual = bought.wei * one >= sold.wei * brings
  const verb = isUsual ? 'pays' : 'asks'
  const show = (price: Price) => showPrice(isUsual ? price : invertPrice(price))
  return { verb, market: (price) => `market ${verb} ${show(price)}`, show }
}

/** `0.063 %`: how far a price is from another of its pair, to either side. */
export const showGap = (price: Price, from: Price): string =>
  showPercent(differencePpm(price, from))

/** `0.063 %` of 633 parts in a million, without a sign; a fourth decimal only where three would show nothing. */
export function showPercent(ppm: bigint): string {
  const size = ppm < 0n ? -ppm : ppm
  const thousandths = (size + 5n) / 10n
  return thousandths === 0n ? `${formatDecimal(size, 4)} %` : `${formatDecimal(thousandths, 3)} %`
}

/** `12.5 %`: how much of the whole a part is, cut (not rounded) after two decimals. */
export function showShare(part: bigint, whole: bigint): string {
  return `${formatDecimal(whole === 0n ? 0n : (part * 10_000n) / whole, 2)} %`
}

/**
 * Why a price is not to be believed: there is no independent reference, or the price is more than `within`
 * basis points of it away, to either side. Undefined where both say the same.
 */
export function crossCheck(
  market: Price,
  { reference, within }: { readonly reference: Price | undefined; readonly within: number },
): string | undefined {
  const words = wordsFor(market)
  const says = `The ${words.market(market)}`
  if (reference === undefined || paying(reference) === undefined)
    return `${says}, and no independent reference confirms it.`
  if (!deviatesBeyond(market, { reference, within })) return undefined
  const apart = showGap(market, reference)
  const allowed = showPercent(BigInt(within) * 100n)
  return `${says}, the reference says ${words.show(reference)}: ${apart} apart, ${allowed} is allowed.`
}
