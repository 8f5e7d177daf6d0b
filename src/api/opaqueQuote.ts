import { z } from 'zod'
import { defineEndpoint } from './endpoint.ts'
import { addressField, hexField, uintField } from './fields.ts'
import { firmQuote } from './firmQuote.ts'

/**
 * A firm quote of a foreign router on the same API: what every generation of it has, and nothing of what only its
 * own router understands. Its calldata is a closed box, so these are claims that only a simulation can confirm.
 */
const opaque = z.looseObject({
  success: z.literal(true),
  orders: z
    .array(
      z.looseObject({
        quoteId: z.string().min(1).max(64).optional(),
        deadlineTimestamp: z.int().positive(),
      }),
    )
    .min(1)
    .max(8),
  recipient: addressField.optional(),
  amountIn: uintField,
  amountOut: uintField,
  txRequest: z.looseObject({ target: addressField, calldata: hexField, value: uintField }),
})
export type OpaqueQuote = z.infer<typeof opaque>

/** `GET /v1/firm-quote` of such a service. */
export const opaqueQuote = defineEndpoint({
  name: firmQuote.name,
  path: firmQuote.path,
  query: firmQuote.query,
  response: opaque,
})
