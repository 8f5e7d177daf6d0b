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
  source: z.string().meta({
    type: ['string', 'array'],
    items: { type: 'integer' },
    description:
      'Who fills the orders, joined by +; as a list of numbers in the second generation.',
  }),
  txRequest: z.looseObject({ target: addressField, calldata: hexField, value: uintField }),
})
export type FirmQuote = z.infer<typeof firm>

/** `GET /v1/firm-quote`. `expiry_time` is a duration in seconds; `slippage` is in percent, as text. */
export const firmQuote = defineEndpoint({
  name: 'firm-quote',
  path: '/v1/firm-quote',
  query: z.object({
    src_chain: z.string().min(1).describe('Chain of token_in.'),
    dst_chain: z.string().min(1).describe('Chain of token_out: the same one.'),
    token_in: addressField.describe('Sold.'),
    token_out: addressField.describe('Bought.'),
    amount: z.string().optional().describe('Sold, in token units; plain decimal text.'),
    amount_wei: uintField.optional(),
    from_address: addressField.describe('Who sells: the only one that can send the transaction.'),
    beneficiary_address: addressField.optional().describe('Whose order it is; moves no funds.'),
    to_address: addressField.optional().describe('Who receives; without it, from_address.'),
    expiry_time: z
      .string()
      .optional()
      .describe(
        'Whole seconds the quote must hold; without it or 0, the default. A refusal names the limit of the service.',
      ),
    slippage: z
      .string()
      .optional()
      .describe('Percent below 50, as text: 0.1 is 0.1 %. Without it 0.'),
    version: z
      .string()
      .optional()
      .describe(
        'From 2 on, orders and quote also have the fields of the second generation, and source is a list of numbers.',
      ),
  }),
  response: firm,
})
/** `GET /v1/firm-quote/calldata`: the same question, the transaction alone. */
export const firmCalldata = defineEndpoint({
  name: 'firm-quote-calldata',
  path: '/v1/firm-quote/calldata',
  query: firmQuote.query,
  response: z.object({
    from: addressField,
    to: addressField,
    /** The same as `to`, under the name that `txRequest` has for it. */
    target: addressField,
    calldata: hexField,
    value: uintField,
    /** Bytes before these words of the calldata. Both are signed: to be read, not written. */
    amountInOffset: z.int(),
    amountOutMinimumOffset: z.int(),
  }),
})

export type FirmQuery = z.input<typeof firmQuote.query>
