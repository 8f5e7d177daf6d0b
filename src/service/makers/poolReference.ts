import type { Block } from '../../chain/calls/node.ts'
import { sameToken, type Token } from '../../core/token.ts'
import type { Offer, Venue } from '../venues/venue.ts'

/**
 * A pool as the price a maker follows: the geometric mean of its two directions, so that its fee drops out.
 *
 * The venue is read in the same batch as the maker's own state, before it, and offers nothing here.
 */
export function poolReference(
  pool: Venue,
  { base, quote }: { base: Token; quote: Token },
): { readonly venue: Venue; priceAt(block: Block): number | undefined } {
  /** By block: levels of the last few are honoured, for whatever time is left by then. */
  const prices = new Map<string, number | undefined>()
  return {
    venue: {
      ...pool,
      at(block, answers) {
        const state = pool.at(block, answers)
        const offers = state !== undefined && 'offers' in state ? state.offers(0) : []
        prices.set(block.hash, middle(offers, { base, quote }))
        for (const hash of [...prices.keys()].slice(0, -rememberedMax)) prices.delete(hash)
        return undefined
      },
    },
    priceAt: ({ hash }) => prices.get(hash),
  }
}

/** As many as a maker's server remembers. */
const rememberedMax = 16

function middle(
  offers: readonly Offer[],
  { base, quote }: { base: Token; quote: Token },
): number | undefined {
  const priceOf = (sell: Token, buy: Token) =>
    offers.find((offer) => sameToken(offer.sell, sell) && sameToken(offer.buy, buy))?.curve()[0]
      ?.price
  const [selling, buying] = [priceOf(base, quote), priceOf(quote, base)]
  if (selling === undefined || buying === undefined) return undefined
  return Math.sqrt(selling / buying) * 10 ** (base.decimals - quote.decimals)
}
