import { sameToken, type Token } from '../../core/token.ts'
import type { Fill, Offer } from '../venues/venue.ts'

/** What is sold where. The legs run in this order; their amounts add up to the input exactly. */
export type Route = { readonly legs: readonly Leg[]; readonly buyWei: bigint }

export type Leg = { readonly offer: Offer; readonly sellWei: bigint; readonly buyWei: bigint }

/** No venue takes the amount, and why the nearest one does not. */
export type NoRoute = { readonly kind: 'no-offer' | Exclude<Fill['kind'], 'filled'> }

/** The venue that pays the most for all of `sellWei`. Of equals the first listed wins, so the answer is stable. */
export function bestRoute(
  offers: readonly Offer[],
  { sell, buy, sellWei }: { sell: Token; buy: Token; sellWei: bigint },
): Route | NoRoute {
  const fills = offers
    .filter((offer) => sameToken(offer.sell, sell) && sameToken(offer.buy, buy))
    .map((offer) => ({ offer, fill: offer.fill(sellWei) }))
  let best: Leg | undefined
  for (const { offer, fill } of fills)
    if (fill.kind === 'filled' && (best === undefined || fill.buyWei > best.buyWei))
      best = { offer, sellWei, buyWei: fill.buyWei }
  if (best !== undefined) return { legs: [best], buyWei: best.buyWei }

  if (fills.length === 0) return { kind: 'no-offer' }
  // A venue with a minimum would take more; "too much" is the answer only when nobody would.
  const tooSmall = fills.some(({ fill }) => fill.kind === 'below-minimum')
  return { kind: tooSmall ? 'below-minimum' : 'exceeds-depth' }
}
