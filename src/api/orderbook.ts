import { z } from 'zod'
import { defineEndpoint } from './endpoint.ts'
import { addressField } from './fields.ts'

/** `[amount in base token units, price in quote units per base]`, non-cumulative. */
export type OrderLevel = [amount: number, price: number]

/**
 * One loop instead of a tuple schema per level: a book has tens of thousands of them,
 * and `1e999` parses to Infinity, so finiteness is checked here as well.
 */
const levels = z
  .custom<OrderLevel[]>((value) => {
    if (!Array.isArray(value)) return false
    for (const level of value) {
      if (!Array.isArray(level) || level.length !== 2) return false
      const [amount, price] = level
      if (typeof amount !== 'number' || typeof price !== 'number') return false
      if (!Number.isFinite(amount) || !Number.isFinite(price) || amount < 0 || price < 0)
        return false
    }
    return true
  }, 'must be [amount, price] pairs of finite, non-negative numbers')
  .meta({
    type: 'array',
    items: { type: 'array', items: { type: 'number', minimum: 0 }, minItems: 2, maxItems: 2 },
    description: 'Non-cumulative [amount in base, price in quote per base], filled in this order.',
  })

/** One side of one pair (specification, "Order pair"). `bid`: the maker buys base; `ask`: the maker sells base. */
const orderPair = z.looseObject({
  base_symbol: z.string(),
  base_address: addressField,
  quote_symbol: z.string(),
  quote_address: addressField,
  levels,
  side: z.enum(['ask', 'bid']),
  minimum_in_base: z.number().nonnegative(),
})
export type OrderPair = z.infer<typeof orderPair>

/** A row that is handed out more than once. */
export type PublishedPair = {
  readonly [name in Exclude<keyof typeof orderPair.shape, 'levels'>]: OrderPair[name]
} & { readonly levels: readonly Readonly<OrderLevel>[] }

/** `GET /v1/orderbook`: price levels of every pair on one chain. Makers only: the depth of pools is in quotes alone. */
export const orderbook = defineEndpoint({
  name: 'orderbook',
  path: '/v1/orderbook',
  query: z.object({
    chain: z.string().min(1).describe('A `chain` of GET /v1/chains, in any letter case.'),
  }),
  response: z.array(orderPair),
})

/** A book without the rows that break the contract: a pair nobody trades hides no other. A book of such rows alone is refused. */
export const bookClaim = {
  ...orderbook,
  response: z
    .array(z.unknown())
    .transform((rows) => {
      const good = rows.filter((row) => orderPair.safeParse(row).success)
      return good.length > 0 ? good : rows
    })
    .pipe(orderbook.response),
}
