import { randomUUID } from 'node:crypto'
import type { FirmQuote } from '../../api/firmQuote.ts'
import type { Hex } from '../../chain/calls/fields.ts'
import { createDigests, type Digests } from '../../chain/crypto/createDigests.ts'
import { encodeExactInput, encodeOrders, quoteIdBytes } from '../../chain/settlement/codec.ts'
import type { ExactInput, Order, SignedOrder } from '../../chain/settlement/order.ts'
import { assert } from '../../core/assert.ts'
import { isNative } from '../../core/token.ts'
import type { ServiceMarket } from '../market.ts'
import type { Priced } from '../price/price.ts'
import { type Slippage, slippageScale } from '../request/readQuoteRequest.ts'
import { signLegs } from './signLegs.ts'

/** Turns a price into signed orders and the transaction that settles them. */
export async function settle(
  market: ServiceMarket,
  {
    priced,
    deadline,
    nextOrderId,
  }: { priced: Priced; deadline: bigint; nextOrderId: () => bigint },
): Promise<FirmQuote> {
  const { request, route, amountOut } = priced
  const quoteId = randomUUID()
  const terms = {
    quoteId: bytesOf(quoteId),
    caller: request.from,
    deadline,
    callers: request.callers,
  }

  const signed = await signLegs(route.legs, { ...terms, nextOrderId, executor: market.executor })
  const orders = signed.map(({ order, signature }): SignedOrder => ({ order, signature }))
  const fallbacks = signed.map(({ executorData }) => executorData)

  const unsigned: ExactInput = {
    orders: encodeOrders(orders),
    recipient: request.to,
    amountIn: request.amountIn,
    amountOutMinimum: minimumOut(amountOut, request.slippage),
    toWrap: isNative(request.sell),
    toUnwrap: isNative(request.buy),
    widgetFee: {
      signer: market.feeSigner.address,
      feeRecipient: market.feeRecipient,
      feeRate: BigInt(market.feeBps),
    },
    widgetFeeSignature: '0x',
    // Empty when no leg uses one; otherwise the router wants an entry for each.
    fallbackSwapDataArray: fallbacks.every((data) => data === '0x') ? [] : fallbacks,
  }
  const widgetFeeSignature = await market.feeSigner.sign({
    hash: digestsOf(market).authorization({ orders, caller: request.from, swap: unsigned }),
  })
  const swap: ExactInput = { ...unsigned, widgetFeeSignature }

  return {
    success: true,
    orders: orders.map(({ order }) => orderBody(order, quoteId)),
    widgetFee: {
      signer: swap.widgetFee.signer,
      feeRecipient: swap.widgetFee.feeRecipient,
      feeRate: market.feeBps,
    },
    widgetFeeSignature,
    // The specification's "seller/swapper". The receiver is in the calldata.
    recipient: request.from,
    calldata: swap.orders,
    amountIn: swap.amountIn.toString(),
    amountOut: amountOut.toString(),
    toWrap: swap.toWrap,
    toUnwrap: swap.toUnwrap,
    fallbackSwapDataArray: [...swap.fallbackSwapDataArray],
    source: route.legs.map(({ offer }) => offer.source).join('+'),
    txRequest: {
      target: market.router,
      calldata: encodeExactInput(swap),
      value: (swap.toWrap ? swap.amountIn : 0n).toString(),
    },
  }
}

const digests = new WeakMap<ServiceMarket, Digests>()

/** A market's domain is hashed once. */
function digestsOf(market: ServiceMarket): Digests {
  const known = digests.get(market)
  if (known !== undefined) return known
  const made = createDigests({ chainId: market.chain.chainId, router: market.router })
  digests.set(market, made)
  return made
}

function orderBody(order: Order, quoteId: string): FirmQuote['orders'][number] {
  assert(order.id <= BigInt(Number.MAX_SAFE_INTEGER), 'an order id survives JSON')
  return {
    id: Number(order.id),
    signer: order.signer,
    buyer: order.buyer,
    seller: order.seller,
    buyerToken: order.buyerToken,
    sellerToken: order.sellerToken,
    buyerTokenAmount: order.buyerTokenAmount.toString(),
    sellerTokenAmount: order.sellerTokenAmount.toString(),
    caller: order.caller,
    quoteId,
    deadlineTimestamp: Number(order.deadlineTimestamp),
  }
}

function bytesOf(quoteId: string): Hex {
  const bytes = quoteIdBytes(quoteId)
  assert(bytes !== undefined, 'a UUID is 32 hex digits')
  return bytes
}

/** `amountOut × (1 − slippage)`, rounded up: the recipient never gets less than the tolerance allows. */
function minimumOut(amountOut: bigint, slippage: Slippage): bigint {
  const whole = 100n * 10n ** BigInt(slippageScale)
  return (amountOut * (whole - slippage) + whole - 1n) / whole
}
