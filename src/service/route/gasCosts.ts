import { sameToken, type Token } from '../../core/token.ts'
import type { Offer } from '../venues/venue.ts'
import { pathsBetween } from './pathsBetween.ts'

/**
 * What a unit of gas costs in smallest units of a token, at the best marginal price there is from the wrapped
 * currency, through hubs where there is no direct one. 0 where nobody says: then gas does not count.
 */
export function gasCosts(
  offers: readonly Offer[],
  { wrapped, hubs, gasPrice }: { wrapped: Token; hubs: readonly Token[]; gasPrice: number },
): (token: Token) => number {
  const bestPrice = (from: Token, to: Token) =>
    offers
      .filter(({ sell, buy }) => sameToken(sell, from) && sameToken(buy, to))
      .map((offer) => offer.curve()[0]?.price ?? 0)
      .filter(Number.isFinite)
      .reduce((best, price) => Math.max(best, price), 0)
  const worth = (token: Token): number => {
    if (sameToken(token, wrapped)) return 1
    const direct = bestPrice(wrapped, token)
    if (direct > 0) return direct
    const paths = pathsBetween({ sell: wrapped, buy: token, hubs }).map((tokens) =>
      tokens
        .slice(1)
        .reduce((product, to, index) => product * bestPrice(tokens[index] ?? wrapped, to), 1),
    )
    return Math.max(0, ...paths)
  }
  const known = new Map<string, number>()
  return (token) => {
    const cost = known.get(token.address) ?? gasPrice * worth(token)
    known.set(token.address, cost)
    return cost
  }
}
