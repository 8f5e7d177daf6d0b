import type { Amount } from '../../core/amount.ts'
import type { Price } from '../../core/price.ts'
import type { Token } from '../../core/token.ts'
import type { Fields, Schema } from './fields.ts'

/** When a strategy is asked. A cron slot is its UTC instant and is asked about at most once, over restarts too. */
export type Schedule =
  | { readonly kind: 'every'; readonly seconds: number }
  | { readonly kind: 'cron'; readonly expression: string; readonly timeZone: string }

/** A price the strategy wants to see before it decides. */
export type Watch = { readonly sell: Amount; readonly buy: Token }

/** An indicative price for one {@link Watch}: what selling exactly that amount would bring. A claim, not a promise. */
export type Indication = Price & { readonly route: readonly string[] }

/** A swap of this strategy that is not decided yet. */
export type Inflight = {
  readonly swapId: string
  readonly sell: Amount
  readonly buy: Token
  readonly since: number
}

/** What the last settled swap of this strategy really sold and received. */
export type Fill = { readonly at: number; readonly price: Price }

/** Everything a decision may depend on. Frozen, and written to the journal with the decision. */
export type Context<params> = {
  /** Milliseconds since the epoch. */
  readonly now: number
  /** The instant this tick was scheduled for; `now` may be a little later. */
  readonly slot: number
  readonly params: params
  /** One for each {@link Watch}, in the same order; undefined where the service had no price. */
  readonly indications: readonly (Indication | undefined)[]
  /** What the wallet holds, as {@link Amount}s; ask with {@link held}. */
  readonly balances: readonly Amount[]
  readonly inflight: readonly Inflight[]
  readonly lastFill: Fill | undefined
}

/** What the strategy wants; verification and policy decide what it gets. */
export type Intent = {
  readonly sell: Amount
  readonly buy: Token
  /** The least the strategy accepts, exact, in the bought token. The decoded calldata is held to it. */
  readonly floor: Amount
  readonly reason: string
}

/** Either intents, or the reason for none. Both are recorded. */
export type Decision =
  | { readonly kind: 'swap'; readonly intents: readonly Intent[] }
  | { readonly kind: 'wait'; readonly reason: string }

/**
 * A plug-in. Pure: the same context always gives the same decision, so every live decision replays as a test.
 * It cannot reach a key, a socket or the clock: this module is all it may import.
 */
export type Strategy<params> = {
  readonly name: string
  /** One line for `ballast config` and the dashboard. */
  readonly summary: string
  /** Reads its part of `ballast.yaml`; every field carries its unit. */
  readonly params: (fields: Fields) => Schema<params>
  readonly schedule: (params: params) => Schedule
  readonly watch: (params: params) => readonly Watch[]
  readonly decide: (context: Context<params>) => Decision
}

/** Types a strategy; returns it as it is. */
export function defineStrategy<params>(strategy: Strategy<params>): Strategy<params> {
  return strategy
}

/** No swap now, and why. Silence is explained too. */
export const wait = (reason: string): Decision => ({ kind: 'wait', reason })

/** Swap these, in this order. */
export const swap = (...intents: readonly Intent[]): Decision => ({ kind: 'swap', intents })

export { type Amount, amountOf, show } from '../../core/amount.ts'
export { comparePrices, minimumAt, type Price, showPrice } from '../../core/price.ts'
export { sameToken, type Token } from '../../core/token.ts'
export type { Fields, Schema } from './fields.ts'
export { held } from './held.ts'
