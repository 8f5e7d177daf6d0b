import { z } from 'zod'
import { compactJson } from '../../core/json.ts'
import type { Address } from '../../core/token.ts'
import type { Plan } from '../stages.ts'
import { masked } from './masked.ts'

const addressText = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .transform((text) => text as Address)

/** A token as the journal keeps it. */
export const tokenText = z.strictObject({
  chainId: z.int(),
  address: addressText,
  symbol: z.string(),
  decimals: z.int(),
})

/** An amount as the journal keeps it. */
export const amountText = z.strictObject({
  token: tokenText,
  wei: z
    .string()
    .regex(/^\d+$/)
    .transform((text) => BigInt(text)),
})

const planText = z.strictObject({
  swapId: z.string(),
  key: z.string(),
  strategy: z.string(),
  intent: z.strictObject({ sell: amountText, buy: tokenText, floor: amountText, reason: z.string() }),
  wallet: addressText,
  recipient: addressText,
  slippageBps: z.int(),
  expirySeconds: z.int(),
  indication: z.object({ sold: amountText, bought: amountText }).optional(),
  notional: amountText.optional(),
  arrival: z.strictObject({ fair: amountText, sources: z.array(z.string()), at: z.int() }).optional(),
})

/** A plan as the journal keeps it. */
export function writePlan(value: Plan): string {
  const {
    swapId,
    key,
    strategy,
    intent,
    wallet,
    recipient,
    slippageBps,
    expirySeconds,
    indication,
    notional,
    arrival,
  } = value
  return compactJson({
    swapId,
    key,
    strategy,
    intent: {
      sell: intent.sell,
      buy: intent.buy,
      floor: intent.floor,
      reason: masked(intent.reason),
    },
    wallet,
    recipient,
    slippageBps,
    expirySeconds,
    indication: indication && { sold: indication.sold, bought: indication.bought },
    notional,
    arrival: arrival && { ...arrival, sources: arrival.sources.map(masked) },
  })
}

/** The inverse of {@link writePlan}. Throws when the journal holds something else: corrupt data stops the process. */
export function readPlan(text: string): Plan {
  const { indication, notional, arrival, ...rest } = planText.parse(JSON.parse(text))
  return { ...rest, indication, notional, ...(arrival === undefined ? {} : { arrival }) }
}
