import { type Amount, show } from '../../core/amount.ts'
import { minimumAt, type Price, shiftPrice, showPrice, worthAt } from '../../core/price.ts'
import { maxOf } from './amounts.ts'
import { deviatesBeyond, paying, showPercent } from './prices.ts'
import type { Context, Level, Watch } from './strategy.ts'

/** The part of a context that belongs to one watch with a price. */
export type WatchedMarket = {
  readonly indication: Price
  readonly levels: readonly Level[]
  readonly reference: Price | undefined
}

/**
 * The most to sell into this market at once: what its book takes within the impact. Without a book, what the
 * indication is for: it is the only size that is known to have a price.
 */
export function sliceOf({ levels, indication }: WatchedMarket, impactBps: number): Amount {
  return sliceWithin(levels, impactBps) ?? indication.sold
}

/**
 * The same look where the watched amount has no price because it is more than the book is deep: the price of the most
 * that the book takes within the impact.
 */
export function pricedByBook<look extends Pick<Context<unknown>, 'indications' | 'depths'>>(
  look: look,
  { place, impactBps }: { readonly place: number; readonly impactBps: number },
): look {
  const levels = look.depths[place] ?? []
  const sold = look.indications[place] === undefined ? sliceWithin(levels, impactBps) : undefined
  const bought = sold && worthInto(levels, sold)
  if (sold === undefined || bought === undefined || sold.wei === 0n) return look
  const indications = [...look.indications]
  indications[place] = { sold, bought, route: [] }
  return { ...look, indications }
}

/** The known proceeds of an amount: by the book, or by an indication for at least as much, whichever is more. */
export function broughtBy({ levels, indication }: WatchedMarket, sell: Amount): Amount {
  const byBook = worthInto(levels, sell)
  const scaled = worthAt(indication, sell)
  if (byBook === undefined) return scaled
  if (sell.wei > indication.sold.wei) return byBook
  return { token: scaled.token, wei: maxOf(byBook.wei, scaled.wei) }
}

/** The least to accept for that much: a tolerance below the indication, and below the reference where there is one. */
export function floorFor(
  { indication, reference }: WatchedMarket,
  sell: Amount,
  toleranceBps: number,
): Amount {
  const prices = reference === undefined ? [indication] : [indication, reference]
  const floors = prices.map((price) => minimumAt(shiftPrice(price, -toleranceBps), sell).wei)
  return { token: indication.bought.token, wei: maxOf(0n, ...floors) }
}

type Place = {
  readonly watch: Watch
  readonly place: number
  readonly maxDeviation: number | undefined
}

/**
 * The market of the watch in that place, or a sentence why there is none to trade on: no price, or, where a deviation
 * is given, no reference, or one that differs.
 */
export function readMarket(
  look: Pick<Context<unknown>, 'indications' | 'depths' | 'references'>,
  { watch: { sell, buy }, place, maxDeviation }: Place,
): WatchedMarket | string {
  const [indication, reference] = [look.indications[place], look.references[place]]
  const levels = look.depths[place] ?? []
  if (indication === undefined || paying(indication) === undefined)
    return `No price for ${show(sell)} in ${buy.symbol}.`
  if (maxDeviation === undefined) return { indication, levels, reference: undefined }
  if (reference === undefined || reference.bought.wei === 0n)
    return `No reference for ${sell.token.symbol} in ${buy.symbol}.`
  return deviatesBeyond(indication, { reference, within: maxDeviation })
    ? `The service indicates ${showPrice(indication)}, the references say ${showPrice(reference)}: more than ${showPercent(BigInt(maxDeviation) * 100n)} apart.`
    : { indication, levels, reference }
}

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
  // The bound as a fraction: no sale averages below boundBought for each boundSold.
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

/**
 * The proceeds of selling an amount into a book, level by level: the last one takes the rest, at its own price.
 * Undefined where there is more to sell than the book is deep. Rounds down, once.
 */
export function worthInto(levels: readonly Level[], sell: Amount): Amount | undefined {
  let [left, bought] = [sell.wei, 0n]
  for (const level of levels) {
    if (left <= level.sold.wei) {
      const part = level.sold.wei === 0n ? 0n : (left * level.bought.wei) / level.sold.wei
      return { token: level.bought.token, wei: bought + part }
    }
    left -= level.sold.wei
    bought += level.bought.wei
  }
  return undefined
}
