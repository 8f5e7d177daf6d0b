import { z } from 'zod'
import { address } from '../../../chain/calls/fields.ts'
import { display } from '../../../core/display.ts'
import { canonicalJson, compactJson } from '../../../core/json.ts'
import { withoutSecrets } from '../../../core/secret.ts'
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

/**
 * A value as canonical JSON, with every text in it {@link masked}, and made fit for a terminal where `limit` says how long a
 * text may be there. Nearly all values have nothing to mask or cut: that is seen of the whole, in a quarter of the time.
 */
export function maskedJson(value: unknown, { limit }: { limit?: number } = {}): string {
  let longest = 0
  const text = canonicalJson(value, (part) => {
    longest = Math.max(longest, part.length)
    return part
  })
  if (longest <= (limit ?? longest) && isPlain(text) && withoutSecrets(text) === text) return text
  return canonicalJson(value, (part) =>
    limit === undefined ? masked(part) : display(masked(part), limit),
  )
}

/** Printable characters of Latin script, with its dashes and dots, and none that JSON escapes: those may hide another. */
const isPlain = (text: string) => /^[ -[\]-~\u00a1-\u00ac\u00ae-\u00ff\u2010-\u2027]*$/.test(text)

/** A token as the journal keeps it. */
export const tokenText = z.strictObject({
  chainId: z.int(),
  address,
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
  wallet: address,
  recipient: address,
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
  const known = plans.get(text)
  if (known !== undefined) return known
  const { indication, notional, arrival, ...rest } = planText.parse(JSON.parse(text))
  const plan = { ...rest, indication, notional, ...(arrival === undefined ? {} : { arrival }) }
  if (plans.size === plansMax) plans.clear()
  plans.set(text, plan)
  return plan
}

/** A plan never changes, and every look reads those of the newest fills again. */
const plans = new Map<string, Plan>()
const plansMax = 500
