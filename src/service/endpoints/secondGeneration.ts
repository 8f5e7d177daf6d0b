import type { FirmQuote } from '../../api/firmQuote.ts'
import { decodeExactInput, decodeOrders, exactInputOffsets } from '../../chain/settlement/codec.ts'
import type { Desk } from './operation.ts'

/**
 * A firm quote with the fields that the second generation of this API has and the first has not: clients of that one
 * refuse a body without them. `source` is a list of numbers there. Nothing here settles: the transaction is the same.
 */
export function inSecondGeneration(quote: FirmQuote, { market }: Desk) {
  const { widgetFee, widgetFeeSignature, orders } = quote
  const swap = decodeExactInput(quote.txRequest.calldata)
  const signatures = decodeOrders(swap.orders).map(({ signature }) => signature)
  const venues = market.venues.map(({ id }) => id)
  return {
    ...quote,
    orders: orders.map((order, index) => ({
      ...order,
      pool: order.buyer,
      recipient: swap.recipient,
      effectiveSellerTokenAmount: order.sellerTokenAmount,
      nonce: order.id,
      multiHop: new Set(orders.map(({ buyerToken }) => buyerToken)).size > 1,
      signature: signatures[index],
      externalSwapCalldata: swap.fallbackSwapDataArray[index] ?? '0x',
      amountOutMinimum: swap.amountOutMinimum.toString(),
      widgetFee,
      widgetFeeSignature,
    })),
    source: quote.source.split('+').map((id) => venues.indexOf(id)),
    amountOutBeforeFee: quote.amountOut,
    tokenTransferFeeOnPercent: 0,
    errorMessage: '',
    router_version: '1',
    amountInOffset: exactInputOffsets.amountIn,
    amountOutMinimumOffset: exactInputOffsets.amountOutMinimum,
  }
}
