import { z } from 'zod'
import { compactJson } from '../../core/json.ts'
import type { Address } from '../../core/token.ts'
import type { Plan } from '../stages.ts'
import { masked } from './masked.ts'

const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .transform((text) => text as Address)

/** A token as the journal keeps it. */
export const token = z.strictObject({
  chainId: z.int(),
  address,
  symbol: z.string(),
  decimals: z.int(),
})

/** An amount as the journal keeps it. */
export const amount = z.strictObject({
  token,
  wei: z
    .string()
    .regex(/^\d+$/)
    .transform((text) => BigInt(text)),
})

const plan = z.strictObject({
  swapId: z.string(),
  key: z.string(),
  strategy: z.string(),
  intent: z.strictObject({ sell: amount, buy: token, floor: amount, reason: z.string() }),
  wallet: address,
  recipient: address,
  slippageBps: z.int(),
  expirySeconds: z.int(),
  indication: z.object({ sold: amount, bought: amount }).optional(),
  notional: amount.optional(),
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
  })
}

/** The inverse of {@link writePlan}. Throws when the journal holds something else: corrupt data stops the process. */
export function readPlan(text: string): Plan {
  const { indication, notional, ...rest } = plan.parse(JSON.parse(text))
  return { ...rest, indication, notional }
}
