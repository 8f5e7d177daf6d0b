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

/** Values an intent by the references and binds it to a wallet, a recipient and the limits of its quote. */
export async function planOf(
  { config, market }: { config: Config; market: { readonly appraise: Appraise } },
  { strategy, intent, indication, key, recipient, slippageBps, expirySeconds }: Around,
): Promise<Valued> {
  const appraisal = await market.appraise(intent)
  const { notional, absent } = appraisal
  const swapId = randomUUID()
  const plan: Plan = {
    swapId,
    key: key ?? `${strategy}:${swapId}`,
    strategy,
    intent,
    wallet: config.wallet.address,
    recipient: recipient ?? config.wallet.address,
    slippageBps: slippageBps ?? config.quote.slippageBps,
    expirySeconds: expirySeconds ?? config.quote.expirySeconds,
    indication,
    notional,
    arrival: arrivalOf(appraisal),
  }
  return { plan, rules: { policy: config.policy, absent } }
}
