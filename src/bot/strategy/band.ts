import type { Amount } from '../../core/amount.ts'
import { comparePrices, minimumAt, type Price, shiftPrice } from '../../core/price.ts'
import type { Fields, GroupOf, Rules } from './fields.ts'
import { maxPrice, showGap, wordsFor } from './prices.ts'

const keys = ({ required, optional, ...kinds }: Fields) => ({
  tolerance: required(kinds.tolerance, {
    doc: 'How much less than indicated it accepts. At most 1000 bps.',
    example: '50 bps',
  }),
  price: optional(kinds.price, {
    doc: 'The worst price it ever accepts. It bounds the floor, and a market beyond it is waited out.',
    example: '4000 USDC per WETH',
  }),
  priceMin: optional(kinds.price, {
    doc: 'One end of a band, with `priceMax`. The end that is worse for you is one more worst price; beyond the better end it waits: such a price is not believed.',
  }),
  priceMax: optional(kinds.price, { doc: 'The other end.' }),
})
type Bounds = GroupOf<typeof keys>

const rules: Rules<Bounds> = {
  priceMin: ({ priceMin, priceMax }) =>
    (priceMin === undefined) === (priceMax === undefined)
      ? undefined
      : 'and priceMax are one band: write both, or price for the worst alone.',
}

/** The worst price that is accepted and the best that is believed, where there are such. */
function between({ price, priceMin, priceMax }: Bounds) {
  if (priceMin === undefined || priceMax === undefined) return { worst: price, best: undefined }
  const best = maxPrice(priceMin, priceMax)
  return { worst: maxPrice(best === priceMin ? priceMax : priceMin, price), best }
}

/** Why the market is not one to trade in; undefined where it lies in the band. */
function outside(bounds: Bounds, market: Price): string | undefined {
  const { worst, best } = between(bounds)
  const words = wordsFor(worst ?? market)
  const now = `The ${words.market(market)}`
  if (worst && comparePrices(market, worst) < 0)
    return `${now}, the worst is ${words.show(worst)}: short by ${showGap(market, worst)}.`
  return best && comparePrices(market, best) > 0
    ? `${now}, better than ${words.show(best)}: outside the band.`
    : undefined
}

/** The least to accept for an amount: the price less the tolerance, and never below the worst. */
function floor(
  bounds: Bounds,
  { price, amount }: { readonly price: Price; readonly amount: Amount },
): Amount {
  const about = shiftPrice(price, -bounds.tolerance)
  return minimumAt(maxPrice(about, between(bounds).worst), amount)
}

/** Bounds of the price: keys, rules, both bounds, why a market is outside of them, and the floor of a swap. */
export const band = { keys, rules, between, outside, floor }
