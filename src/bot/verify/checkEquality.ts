import type { FirmOrder } from '../../api/firmQuote.ts'
import { quoteIdBytes } from '../../chain/settlement/codec.ts'
import type { Order } from '../../chain/settlement/order.ts'
import type { Checklist } from '../../core/check.ts'
import type { Decoded } from './decode.ts'
import type { Legible } from './legible.ts'

/** The JSON and the calldata tell the same story, field by field. */
export function checkEquality({ quote }: Legible, { swap, orders }: Decoded, checks: Checklist) {
  checks.equal('json-orders-bytes', swap.orders, quote.calldata)
  checks.equal('json-orders-count', orders.length, quote.orders.length)
  checks.equal(
    'json-orders',
    orders.map(({ order }) => textOf(order)).join(' '),
    quote.orders.map(claimOf).join(' '),
  )
  checks.equal('json-amount-in', swap.amountIn, quote.amountIn)
  checks.equal(
    'json-wrap-flags',
    `${swap.toWrap},${swap.toUnwrap}`,
    `${quote.toWrap},${quote.toUnwrap}`,
  )
  checks.equal(
    'json-fee',
    [swap.widgetFee.signer, swap.widgetFee.feeRecipient, swap.widgetFee.feeRate].join(' '),
    [quote.widgetFee.signer, quote.widgetFee.feeRecipient, quote.widgetFee.feeRate].join(' '),
  )
  checks.equal('json-authorization', swap.widgetFeeSignature, quote.widgetFeeSignature)
  checks.equal(
    'json-fallbacks',
    swap.fallbackSwapDataArray.join() || 'none',
    quote.fallbackSwapDataArray.join() || 'none',
  )
}

const textOf = (order: Order) =>
  [
    order.id,
    order.signer,
    order.buyer,
    order.seller,
    order.buyerToken,
    order.sellerToken,
    order.buyerTokenAmount,
    order.sellerTokenAmount,
    order.caller,
    order.quoteId,
    order.deadlineTimestamp,
  ].join(':')

const claimOf = (order: FirmOrder) =>
  [
    order.id,
    order.signer,
    order.buyer,
    order.seller,
    order.buyerToken,
    order.sellerToken,
    order.buyerTokenAmount,
    order.sellerTokenAmount,
    order.caller,
    quoteIdBytes(order.quoteId) ?? order.quoteId,
    order.deadlineTimestamp,
  ].join(':')
