import { randomUUID } from 'node:crypto'
import type { PlanBounds } from '../bot/policy/checkPlan.ts'
import { arrivalOf } from '../bot/reference/readReferences.ts'
import type { Appraise, Intent, Plan } from '../bot/stages.ts'
import type { Config } from '../config/config.ts'
import type { Price } from '../core/price.ts'
import type { Address } from '../core/token.ts'

/** Everything decided around an intent; missing parts come from the configuration. */
type Around = {
  readonly strategy: string
  readonly intent: Intent
  readonly indication: Price | undefined
  /** Unique for this slot of this strategy; a manual swap is its own slot. */
  readonly key?: string
  readonly recipient?: Address | undefined
  readonly slippageBps?: number | undefined
  readonly expirySeconds?: number | undefined
}

/** A plan, and the rules it is held to; the journal adds what other swaps spent. */
export type Valued = { readonly plan: Plan; readonly rules: Omit<PlanBounds, 'spent' | 'now'> }

type Bounds = {
  readonly quote: Pick<Config['quote'], 'expirySeconds'>
  readonly policy: Pick<Config['policy'], 'timeToDeadlineSecondsMin'>
}

/**
 * The time a quote is asked for: `quote.expiry`, or the part of it that the strategy wants. Never so little that policy
 * would call every quote too old: at least twice `policy.minTimeToDeadline`, or all of it.
 */
export function expiryWithin({ quote, policy }: Bounds, expiryBps = 10_000): number {
  const least = Math.min(quote.expirySeconds, 2 * policy.timeToDeadlineSecondsMin)
  return Math.max(least, Math.floor((quote.expirySeconds * expiryBps) / 10_000))
}

/** Values an intent by the references and binds it to a wallet, a recipient and the limits of its quote. */
export async function planOf(
  { config, market }: { config: Config; market: { readonly appraise: Appraise } },
  { strategy, intent: wanted, indication, key, recipient, slippageBps, expirySeconds }: Around,
): Promise<Valued> {
  const { expiryBps, recipient: named, ...intent } = wanted
  const appraisal = await market.appraise(intent)
  const { notional, absent } = appraisal
  const swapId = randomUUID()
  const plan: Plan = {
    swapId,
    key: key ?? `${strategy}:${swapId}`,
    strategy,
    intent,
    wallet: config.wallet.address,
    recipient: recipient ?? named ?? config.wallet.address,
    slippageBps: slippageBps ?? config.quote.slippageBps,
    expirySeconds: expirySeconds ?? expiryWithin(config, expiryBps),
    indication,
    notional,
    arrival: arrivalOf(appraisal),
  }
  return { plan, rules: { policy: config.policy, absent } }
}
