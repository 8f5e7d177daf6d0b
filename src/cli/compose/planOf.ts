import { randomUUID } from 'node:crypto'
import type { Intent, Plan } from '../../bot/stages.ts'
import type { Config } from '../../config/config.ts'
import type { Amount } from '../../core/amount.ts'
import type { Price } from '../../core/price.ts'
import type { Address } from '../../core/token.ts'

/** What is decided around an intent; what is not given comes from the configuration. */
type Around = {
  readonly strategy: string
  readonly intent: Intent
  readonly indication: Price | undefined
  readonly notional?: Amount | undefined
  /** Unique for this slot of this strategy; a manual swap is its own slot. */
  readonly key?: string
  readonly recipient?: Address | undefined
  readonly slippageBps?: number | undefined
  readonly expirySeconds?: number | undefined
}

/** Binds an intent to a wallet, a recipient and the limits of its quote. */
export function planOf(config: Config, around: Around): Plan {
  const { strategy, intent, indication, notional, key, recipient, slippageBps, expirySeconds } =
    around
  const swapId = randomUUID()
  return {
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
  }
}
