import { formatDecimal } from '../../core/decimal.ts'
import { sameAddress, sameToken, type Token } from '../../core/token.ts'
import type { Snapshot } from '../createSnapshots.ts'
import type { ServiceMarket } from '../market.ts'
import { QuoteRefused } from '../refusal/errors.ts'
import type { QuoteRequest } from '../request/readQuoteRequest.ts'
import { bestRoute } from '../route/bestRoute.ts'
import { gasCosts, pathsBetween, priceFor } from '../route/chooseSources.ts'
import type { NoRoute, Route, RouteLeg } from '../route/source.ts'

/** A price at one block. The one path both quotes take: a firm quote only adds signatures. */
export type Priced = {
  readonly request: QuoteRequest
  readonly route: Route
  /** Taken from the input before it is sold; rounded down, for the caller. */
  readonly fee: bigint
  /** The amount the recipient receives, fee deducted. */
  readonly amountOut: bigint
  /** Symbols of the tokens passed on the way, in the order they are bought. */
  readonly hops: readonly string[]
}

/** Prices a request from the state of one block. Pure. */
export function price(
  market: ServiceMarket,
  { snapshot, request }: { snapshot: Snapshot; request: QuoteRequest },
): Priced {
  const { path, amountIn, expirySeconds, callers } = request
  const { hubs = [], wrapped, feeBps, impactBpsMax } = market
  const fee = (amountIn * BigInt(feeBps)) / 10_000n
  // Only tokens a route can pass through, or that give the price of gas.
  const among = new Set(
    [path.sell, path.buy, wrapped, ...hubs].map(({ address }) => address.toLowerCase()),
  )
  const offers = snapshot.states.flatMap((state) => state.offers(expirySeconds, among, callers))
  const gasCost = gasCosts(offers, { wrapped, hubs, gasPrice: gasPrice(market, snapshot) })
  const route = bestRoute(offers, { ...path, sellWei: amountIn - fee, hubs, gasCost })
  if ('kind' in route) throw refusal(market, path, route)
  if (impactBpsMax !== undefined) {
    const sold = Number(amountIn - fee)
    const best = priceFor(offers, { ...path, hubs, sold: sold * bestShare })
    // A unit more for each leg, which rounds down. Doubles, as the search for the route: no amount depends on it.
    const paid = Number(route.buyWei) + route.legs.length
    if (paid < sold * best * (1 - impactBpsMax / 10_000))
      throw new QuoteRefused(
        'EXCEEDS_DEPTH',
        `amount exceeds what is available within ${impactBpsMax} bps of the best price.`,
      )
  }
  return { request, route, fee, amountOut: route.buyWei, hops: hopsOf(route, path.buy) }
}

/** Of an amount, what the best price must be good for: a level of dust would turn its whole pair off. */
const bestShare = 0.01

/** A sender's usual addition to the base fee. */
const tipWei = 1_000_000_000

function gasPrice({ gasWeight = 1 }: ServiceMarket, { block }: Snapshot): number {
  return (Number(block.baseFeePerGas) + tipWei) * gasWeight
}

function hopsOf({ legs }: Route, buy: Token): readonly string[] {
  const passed = legs.map(({ offer }) => offer.buy).filter((token) => !sameToken(token, buy))
  return [...new Set(passed.map(({ symbol }) => symbol))]
}

function refusal(
  market: ServiceMarket,
  { sell, buy }: { sell: Token; buy: Token },
  { kind }: NoRoute,
): QuoteRefused {
  if (kind === 'exceeds-depth')
    return new QuoteRefused('EXCEEDS_DEPTH', 'amount exceeds what is available.')
  if (kind === 'below-minimum')
    return new QuoteRefused('BELOW_MINIMUM', 'amount is below the minimum.')
  return isTraded(market, sell, buy)
    ? new QuoteRefused(
        'NO_LIQUIDITY',
        'token_in and token_out: the order book of this pair is empty.',
      )
    : new QuoteRefused('PAIR_UNKNOWN', 'token_in and token_out: this pair is not traded.')
}

/** Directly or through hubs, whether or not a venue offers it now. */
function isTraded({ venues, hubs = [] }: ServiceMarket, sell: Token, buy: Token): boolean {
  const isPair = (a: Token, b: Token) =>
    venues.some(({ pairs }) =>
      pairs.some((pair) => [a, b].every((token) => pair.some((each) => sameToken(each, token)))),
    )
  return [[sell, buy], ...pathsBetween({ sell, buy, hubs })].some((tokens) =>
    tokens.slice(1).every((token, index) => isPair(tokens[index] ?? sell, token)),
  )
}

/**
 * The fees of a quote in US dollars, for display. Valued at the quote's own price, so one side must be a dollar token;
 * elsewhere they are shown as 0, because an invented exchange rate would be worse than none.
 */
export function dollarFees(
  market: ServiceMarket,
  { request: { path, amountIn }, route, fee, amountOut }: Priced,
): { widgetFeeUsd: number; liquidityProviderFeeUsd: number; totalFeeUsd: number } {
  const isDollar = (token: Token) =>
    market.dollars.some((address) => sameAddress(address, token.address))
  const units = (wei: bigint, token: Token) => Number(formatDecimal(wei, token.decimals))
  const soldAfterFee = units(amountIn - fee, path.sell)
  const dollarsPerSold = isDollar(path.sell)
    ? 1
    : isDollar(path.buy)
      ? units(amountOut, path.buy) / soldAfterFee
      : 0
  const widgetFeeUsd = units(fee, path.sell) * dollarsPerSold
  // A hop in the middle is worth what it sells or buys in dollars.
  const dollarsOf = ({ offer: { sell, buy }, sellWei, buyWei }: RouteLeg) => {
    if (isDollar(sell)) return units(sellWei, sell)
    if (isDollar(buy)) return units(buyWei, buy)
    return sameToken(sell, path.sell) ? units(sellWei, sell) * dollarsPerSold : 0
  }
  const liquidityProviderFeeUsd = route.legs.reduce(
    (sum, leg) => sum + (dollarsOf(leg) * leg.offer.feeBps) / 10_000,
    0,
  )
  return {
    widgetFeeUsd,
    liquidityProviderFeeUsd,
    totalFeeUsd: widgetFeeUsd + liquidityProviderFeeUsd,
  }
}
