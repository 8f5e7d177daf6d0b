import { z } from 'zod'
import type { Context, Decision } from '../../strategy/index.ts'
import { amountText } from '../store/text.ts'

const address = amountText.shape.token.shape.address
const price = z.object({ sold: amountText, bought: amountText })

/** What JSON has no word for came out as null in a list, and was left out of an object. */
const orUndefined = <schema extends z.ZodType>(schema: schema) =>
  z.union([schema, z.null().transform(() => undefined)])

const inflight = z.object({
  swapId: z.string(),
  sell: amountText,
  buy: amountText.shape.token,
  since: z.number(),
})

const fill = z.object({ at: z.number(), price })

/** A context as it was written down. Fields that older versions did not have yet were not there to be seen. */
const writtenContext = z.object({
  now: z.number(),
  slot: z.number(),
  params: z.unknown().transform(revived),
  indications: z.array(orUndefined(price.extend({ route: z.array(z.string()) }))),
  depths: z.array(z.array(price)).default([]),
  references: z.array(orUndefined(price)).default([]),
  balances: z.array(amountText),
  accounts: z.array(z.object({ account: address, held: amountText })).optional(),
  swapCost: amountText.optional(),
  swapLimits: z.array(amountText).optional(),
  swapWorth: amountText.optional(),
  inflight: z.array(inflight),
  lastFill: fill.optional(),
  fills: z.array(fill).default([]),
  totals: z
    .array(price.extend({ swaps: z.number(), recovered: z.literal(true).optional() }))
    .default([]),
  memory: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).optional(),
})

/**
 * The context of a journaled decision as the strategy was given it: amounts are bigint again, and what was undefined is
 * undefined. Throws when the text is something else.
 */
export function reviveContext(text: string): Context<unknown> {
  const { swapCost, swapLimits, swapWorth, lastFill, memory, ...rest } = writtenContext.parse(
    JSON.parse(text),
  )
  return { ...rest, swapCost, swapLimits, swapWorth, lastFill, memory }
}

/** Parameters are the strategy's own shape: in them an amount is whatever looks like one. */
function revived(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(revived)
  const read = amountText.safeParse(value)
  if (read.success) return read.data
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, revived(part)]))
}

const memory = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
  .optional()

const writtenDecision = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('swap'),
    intents: z.array(
      z.object({
        sell: amountText,
        buy: amountText.shape.token,
        floor: amountText,
        reason: z.string(),
        recipient: address.optional(),
        expiryBps: z.int().optional(),
      }),
    ),
    memory,
  }),
  z.object({ kind: z.literal('wait'), reason: z.string(), memory }),
  z.object({ kind: z.literal('postpone'), reason: z.string(), memory }),
])

/** A decision as the strategy made it, from the journal's text. Throws when the text is something else. */
export const reviveDecision = (text: string): Decision => writtenDecision.parse(JSON.parse(text))
