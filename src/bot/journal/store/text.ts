import { z } from 'zod'
import { compactJson } from '../../../core/json.ts'
import { withoutSecrets } from '../../../core/secret.ts'
import type { Address } from '../../../core/token.ts'
import type { Plan } from '../../stages.ts'

/**
 * Text as the journal may keep it: without the value of any secret, because copies of the database go where the
 * configuration does not. Every foreign or composed text passes here on its way in; signed bytes, hashes, plans and
 * keys of rows do not, because they are read back and must be exact.
 *
 * A text of digits alone is an amount: the ledger adds them up, and a key of that form must not make a hole in it.
 */
export function masked(text: string): string {
  return /^\d+$/.test(text) ? text : withoutSecrets(text)
}

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
  intent: z.strictObject({
    sell: amountText,
    buy: tokenText,
    floor: amountText,
    reason: z.string(),
  }),
  wallet: addressText,
  recipient: addressText,
  slippageBps: z.int(),
  expirySeconds: z.int(),
  indication: z.object({ sold: amountText, bought: amountText }).optional(),
  notional: amountText.optional(),
  arrival: z
    .strictObject({
      fair: amountText,
      sources: z.array(z.string()),
      at: z.int(),
      block: z.int().optional(),
    })
    .optional(),
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
