import { type IndicativeQuote, indicativeQuote } from '../../api/indicativeQuote.ts'
import { formatDecimal } from '../../core/decimal.ts'
import { dollarFees, price } from '../price/price.ts'
import { readQuoteRequest } from '../request/readQuoteRequest.ts'
import type { Operation } from './operation.ts'

/** `GET /v1/indicative-quote`: the firm quote's price without its signatures. */
export const quoteIndicatively: Operation = {
  endpoint: indicativeQuote,
  summary: 'What selling an amount would bring now.',
  async answer({ market, snapshots, drift }, asked) {
    const request = readQuoteRequest(market, asked)
    const priced = price(market, { snapshot: await snapshots.latest(), request })
    drift.indicated(priced)
    const { sell, buy, amountIn } = request
    const sold = formatDecimal(amountIn, sell.decimals)
    const bought = Number(formatDecimal(priced.amountOut, buy.decimals))
    const value: IndicativeQuote = {
      success: true,
      buyerToken: buy.address,
      sellerToken: sell.address,
      buyerTokenAmount: bought,
      buyerTokenAmountWei: priced.amountOut.toString(),
      sellerTokenAmount: sold,
      sellerTokenAmountWei: amountIn.toString(),
      price: bought / Number(sold),
      ...dollarFees(market, priced),
      routes: [sell.symbol, ...priced.hops, buy.symbol],
    }
    return { value }
  },
}
