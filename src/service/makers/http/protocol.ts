import { z } from 'zod'
import { addressField, hexField, uintField } from '../../../api/fields.ts'
import { orderbook } from '../../../api/orderbook.ts'
import type { Order } from '../../../chain/settlement/order.ts'

/** The levels a maker in its own process publishes: its order book once for each requested expiry. */
export const levelsAnswer = z.strictObject({
  maker: addressField,
  books: z
    .array(z.strictObject({ expirySeconds: z.int().positive(), rows: orderbook.response }))
    .max(16),
})
export type LevelsAnswer = z.output<typeof levelsAnswer>

/** An order in JSON: every number as text, because it is signed to the last digit. */
const wireOrder = z.strictObject({
  id: uintField.transform(BigInt),
  signer: addressField,
  buyer: addressField,
  seller: addressField,
  buyerToken: addressField,
  sellerToken: addressField,
  buyerTokenAmount: uintField.transform(BigInt),
  sellerTokenAmount: uintField.transform(BigInt),
  caller: addressField,
  quoteId: hexField.refine((text) => text.length === 34, 'is not 16 bytes'),
  deadlineTimestamp: uintField.transform(BigInt),
})

/** The order a maker is to sign, and for which router. */
export const signQuestion = z.strictObject({
  chainId: z.int().positive(),
  router: addressField,
  order: wireOrder,
})

/** The order it signed, which must be the requested one. */
export const signAnswer = z.strictObject({ order: wireOrder, signature: hexField })

/** Why it does not. Anything that is not an answer of a maker has another shape. */
export const makerRefusal = z.looseObject({
  success: z.literal(false),
  code: z.string().max(64),
  message: z.string().max(1_000),
})

/** An order as {@link signQuestion} and {@link signAnswer} carry it. */
export function orderInJson(order: Order): Readonly<Record<keyof Order, string>> {
  return {
    id: order.id.toString(),
    signer: order.signer.toLowerCase(),
    buyer: order.buyer.toLowerCase(),
    seller: order.seller.toLowerCase(),
    buyerToken: order.buyerToken.toLowerCase(),
    sellerToken: order.sellerToken.toLowerCase(),
    buyerTokenAmount: order.buyerTokenAmount.toString(),
    sellerTokenAmount: order.sellerTokenAmount.toString(),
    caller: order.caller.toLowerCase(),
    quoteId: order.quoteId.toLowerCase(),
    deadlineTimestamp: order.deadlineTimestamp.toString(),
  }
}

export const paths = { levels: '/v1/levels', sign: '/v1/sign' } as const

/** Between them the price of time differs by about half. */
const usualSeconds = [10, 20, 30, 45, 60, 90, 120, 180, 300]

/** The quote durations requested from a maker: up to the longest a caller may request, the default exactly. */
export function expiriesToAsk({
  defaultSeconds,
  maxSeconds,
}: {
  defaultSeconds: number
  maxSeconds: number
}): readonly number[] {
  const usual = usualSeconds.filter((seconds) => seconds < maxSeconds)
  return [...new Set([...usual, defaultSeconds, maxSeconds])].sort((a, b) => a - b)
}
