import { z } from 'zod'
import { defineEndpoint } from './endpoint.ts'
import { addressField, uintField } from './fields.ts'

/**
 * The proceeds of selling an amount now (specification, "Indicative quote"). The `…Wei` texts are the truth; numbers
 * are display.
 */
const indicative = z.looseObject({
  success: z.literal(true),
  buyerToken: addressField,
  sellerToken: addressField,
  buyerTokenAmount: z.number(),
  buyerTokenAmountWei: uintField,
  sellerTokenAmount: z.string(),
  sellerTokenAmountWei: uintField,
  price: z.number(),
  widgetFeeUsd: z.number(),
  liquidityProviderFeeUsd: z.number(),
  totalFeeUsd: z.number(),
  routes: z.array(z.string()),
})
export type IndicativeQuote = z.infer<typeof indicative>

/** `GET /v1/indicative-quote`. Send `amount` in token units or `amount_wei`, never both. */
export const indicativeQuote = defineEndpoint({
  name: 'indicative-quote',
  path: '/v1/indicative-quote',
  query: z.object({
    chain: z.string().min(1),
    token_in: addressField,
    token_out: addressField,
    amount: z.string().optional(),
    amount_wei: uintField.optional(),
    from_address: addressField,
    to_address: addressField.optional(),
    expiry_time: z.string().optional(),
  }),
  response: indicative,
})
export type IndicativeQuery = z.input<typeof indicativeQuote.query>

/** What a client reads of an indicative quote. The numbers beside it are for display, and services vary in them. */
export const indicativeClaim = {
  ...indicativeQuote,
  response: indicativeQuote.response
    .pick({
      ...{ success: true, sellerToken: true, buyerToken: true },
      ...{ sellerTokenAmountWei: true, buyerTokenAmountWei: true },
    })
    .extend({ routes: z.array(z.string()).catch([]) }),
}
export type IndicativeClaim = z.infer<typeof indicativeClaim.response>
