import { formatDecimal } from '../../core/decimal.ts'
import { sameAddress, sameToken, type Token } from '../../core/token.ts'
import type { Market } from '../market.ts'
import type { Leg } from '../route/bestRoute.ts'
import type { Priced } from './price.ts'

/**
 * The fees of a quote in US dollars, for display. Valued at the quote's own price, so one side must be a dollar token;
 * elsewhere they are shown as 0, because an invented exchange rate would be worse than none.
 */
export function dollarFees(
  market: Market,
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
  const dollarsOf = ({ offer: { sell, buy }, sellWei, buyWei }: Leg) => {
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
