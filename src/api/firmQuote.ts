import { z } from 'zod'
import { defineEndpoint } from './endpoint.ts'
import { addressField, hexField, uintField } from './fields.ts'

/** A signed leg of the quote: `seller` gives sellerToken to `buyer` for buyerToken (specification, "Order"). */
const order = z.looseObject({
  id: z.union([z.int().nonnegative(), z.bigint()]),
  signer: addressField,
  buyer: addressField,
  seller: addressField,
  buyerToken: addressField,
  sellerToken: addressField,
  buyerTokenAmount: uintField,
  sellerTokenAmount: uintField,
  caller: addressField,
  quoteId: z.string().min(1).max(64),
  deadlineTimestamp: z.int().positive(),
})
export type FirmOrder = z.infer<typeof order>

/** Signed orders and the transaction that settles them (specification, "Firm quote"). A claim until `verify` has decoded it. */
const firm = z.looseObject({
  success: z.literal(true),
  orders: z.array(order).min(1).max(8),
  widgetFee: z.looseObject({
    signer: addressField,
    feeRecipient: addressField,
    feeRate: z.int().nonnegative(),
  }),
  widgetFeeSignature: hexField,
  recipient: addressField,
  calldata: hexField,
  amountIn: uintField,
  amountOut: uintField,
  toWrap: z.boolean(),
  toUnwrap: z.boolean(),
  fallbackSwapDataArray: z.array(hexField),
  source: z.string(),
  txRequest: z.looseObject({ target: addressField, calldata: hexField, value: uintField }),
})
export type FirmQuote = z.infer<typeof firm>

/** `GET /v1/firm-quote`. `expiry_time` is a duration in seconds; `slippage` is in percent, as text. */
export const firmQuote = defineEndpoint({
  name: 'firm-quote',
  path: '/v1/firm-quote',
  query: z.object({
    src_chain: z.string().min(1),
    dst_chain: z.string().min(1),
    token_in: addressField,
    token_out: addressField,
    amount: z.string().optional(),
    amount_wei: uintField.optional(),
    from_address: addressField,
    beneficiary_address: addressField.optional(),
    to_address: addressField.optional(),
    expiry_time: z.string().optional(),
    slippage: z.string().optional(),
  }),
  response: firm,
})
export type FirmQuery = z.input<typeof firmQuote.query>
