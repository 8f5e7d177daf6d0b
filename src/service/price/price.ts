import { sameToken, type Token } from '../../core/token.ts'
import type { Snapshot } from '../createSnapshots.ts'
import { QuoteRefused } from '../errors.ts'
import type { Market } from '../market.ts'
import type { QuoteRequest } from '../request/readQuoteRequest.ts'
import { bestRoute, type NoRoute, type Route } from '../route/bestRoute.ts'

/** A price at one block. The one path both quotes take: a firm quote only adds signatures. */
export type Priced = {
  readonly request: QuoteRequest
  readonly route: Route
  /** Taken from the input before it is sold; rounded down, for the caller. */
  readonly fee: bigint
  /** What the recipient receives, fee deducted. */
  readonly amountOut: bigint
  /** Symbols between the sold and the bought token. */
  readonly hops: readonly string[]
}

/** Prices a request from the state of one block. Pure. */
export function price(
  market: Market,
  { snapshot, request }: { snapshot: Snapshot; request: QuoteRequest },
): Priced {
  const { path, amountIn, expirySeconds } = request
  const fee = (amountIn * BigInt(market.feeBps)) / 10_000n
  const offers = snapshot.states.flatMap((state) => state.offers(expirySeconds))
  const route = bestRoute(offers, { ...path, sellWei: amountIn - fee })
  if ('kind' in route) throw refusal(market, path, route)
  return { request, route, fee, amountOut: route.buyWei, hops: [] }
}

function refusal(
  market: Market,
  { sell, buy }: { sell: Token; buy: Token },
  { kind }: NoRoute,
): QuoteRefused {
  if (kind === 'exceeds-depth')
    return new QuoteRefused('EXCEEDS_DEPTH', 'The amount exceeds what is available.')
  if (kind === 'below-minimum')
    return new QuoteRefused('BELOW_MINIMUM', 'The amount is below the minimum.')
  const traded = market.venues.some(({ pairs }) =>
    pairs.some((pair) => [sell, buy].every((token) => pair.some((each) => sameToken(each, token)))),
  )
  return traded
    ? new QuoteRefused('NO_LIQUIDITY', 'The order book of this pair is empty.')
    : new QuoteRefused('PAIR_UNKNOWN', 'This pair is not traded.')
}
