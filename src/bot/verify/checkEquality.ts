import { zeroAddress } from 'viem'
import type { FirmOrder, FirmQuote } from '../../api/firmQuote.ts'
import { quoteIdBytes } from '../../chain/settlement/codec.ts'
import type { Order, WidgetFee } from '../../chain/settlement/order.ts'
import type { Checklist } from '../../core/check.ts'
import { display } from '../../core/display.ts'
import { sameAddress } from '../../core/token.ts'
import { checkBytes, type Decoded, type Legible } from './decode.ts'

/** The JSON and the calldata agree, field by field. */
export function checkEquality({ quote }: Legible, { swap, orders }: Decoded, checks: Checklist) {
  checkBytes('json-orders-bytes', { expected: swap.orders, actual: quote.calldata }, checks)
  const [decoded, claimed] = difference(
    orders.flatMap(({ order }, leg) => fieldsOf(leg, order, order.quoteId)),
    quote.orders.flatMap((order, leg) => fieldsOf(leg, order, claimedId(order))),
  )
  checks.equal('json-orders', decoded, claimed)
  checks.equal('json-amount-in', swap.amountIn, quote.amountIn)
  checks.equal(
    'json-wrap-flags',
    `${swap.toWrap},${swap.toUnwrap}`,
    `${quote.toWrap},${quote.toUnwrap}`,
  )
  checks.equal('json-fee', feeText(swap.widgetFee, quote), feeText(quote.widgetFee, quote))
  checks.equal('json-authorization', swap.widgetFeeSignature, quote.widgetFeeSignature)
  checks.equal(
    'json-fallbacks',
    swap.fallbackSwapDataArray.join() || 'none',
    quote.fallbackSwapDataArray.join() || 'none',
  )
}

/** In the order of the struct, one text each, so that a refusal shows the field and not two walls of hex. */
const fieldsOf = (leg: number, order: Order | FirmOrder, quoteId: string): readonly string[] => [
  `leg ${leg + 1} id ${order.id}`,
  `leg ${leg + 1} signer ${order.signer}`,
  `leg ${leg + 1} buyer ${order.buyer}`,
  `leg ${leg + 1} seller ${order.seller}`,
  `leg ${leg + 1} buyerToken ${order.buyerToken}`,
  `leg ${leg + 1} sellerToken ${order.sellerToken}`,
  `leg ${leg + 1} buyerTokenAmount ${order.buyerTokenAmount}`,
  `leg ${leg + 1} sellerTokenAmount ${order.sellerTokenAmount}`,
  `leg ${leg + 1} caller ${order.caller}`,
  `leg ${leg + 1} quoteId ${quoteId}`,
  `leg ${leg + 1} deadlineTimestamp ${order.deadlineTimestamp}`,
]

/** An id that is no UUID equals nothing decoded. */
const claimedId = ({ quoteId }: FirmOrder): string =>
  quoteIdBytes(quoteId) ?? `'${display(quoteId, 64)}', which is no UUID`

/** The first pair that differs; the last one when none does. */
function difference(
  decoded: readonly string[],
  claimed: readonly string[],
): readonly [string, string] {
  const length = Math.max(decoded.length, claimed.length)
  let pair: readonly [string, string] = ['no orders', 'no orders']
  for (let index = 0; index < length; index += 1) {
    pair = [decoded[index] ?? 'no more orders', claimed[index] ?? 'no more orders']
    if (pair[0].toLowerCase() !== pair[1].toLowerCase()) return pair
  }
  return pair
}

/** A quote with no signer and no fee claims only that there is none: so the second generation writes it. */
function feeText(
  { signer, feeRecipient, feeRate }: WidgetFee | FirmQuote['widgetFee'],
  { widgetFee: claim }: FirmQuote,
): string {
  const claimsNobody = sameAddress(claim.signer, zeroAddress) && claim.feeRate === 0
  return claimsNobody ? `${feeRate} bps` : `${feeRate} bps for ${feeRecipient} by ${signer}`
}
