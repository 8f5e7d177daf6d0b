import type { Amount } from '../../core/amount.ts'
import { minimumAt, type Price, worthAt } from '../../core/price.ts'
import type { Level } from './strategy.ts'
import { most } from './most.ts'
import { shiftPrice } from './shiftPrice.ts'
import { sliceWithin } from './sliceWithin.ts'
import { worthInto } from './worthInto.ts'

/** What a context says of one watch that has a price. */
export type Market = {
  readonly indication: Price
  readonly levels: readonly Level[]
  readonly reference: Price | undefined
}

/**
 * The most to sell into this market at once: what its book takes within the impact. Without a book, what the
 * indication is for: it is the only size that is known to have a price.
 */
export function sliceOf({ levels, indication }: Market, impactBps: number): Amount {
  return sliceWithin(levels, impactBps) ?? indication.sold
}

/** What selling that much is known to bring: by the book, or by an indication for at least as much, whichever is more. */
export function broughtBy({ levels, indication }: Market, sell: Amount): Amount {
  const byBook = worthInto(levels, sell)
  const scaled = worthAt(indication, sell)
  if (byBook === undefined) return scaled
  if (sell.wei > indication.sold.wei) return byBook
  return { token: scaled.token, wei: most(byBook.wei, scaled.wei) }
}

/** The least to accept for that much: a tolerance below the indication, and below the reference where there is one. */
export function floorFor(
  { indication, reference }: Market,
  sell: Amount,
  toleranceBps: number,
): Amount {
  const prices = reference === undefined ? [indication] : [indication, reference]
  const floors = prices.map((price) => minimumAt(shiftPrice(price, -toleranceBps), sell).wei)
  return { token: indication.bought.token, wei: most(0n, ...floors) }
}
