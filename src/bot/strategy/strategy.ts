import { type Amount, show } from '../../core/amount.ts'
import type { Price } from '../../core/price.ts'
import type { Address, Token } from '../../core/token.ts'
import type { Fields, Schema } from './fields.ts'

/** The slots at which a strategy decides. Whole seconds. */
export type Schedule = Every | Cron

/** A period aligned to the epoch. Past slots are left out: there is never a burst. */
export type Every = {
  readonly kind: 'every'
  readonly seconds: number
  /** Each slot comes up to this much later: always the same delay for the same slot of the same strategy. */
  readonly jitter?: number | undefined
}

/**
 * A calendar. A slot is its UTC instant, is recorded with what became of it, and runs at most once, over restarts and
 * changes of summer time.
 */
export type Cron = {
  readonly kind: 'cron'
  readonly expression: string
  readonly timeZone: string
  readonly jitter?: number | undefined
  /** A slot that could not be decided for this long is missed; one hour by default. */
  readonly late?: number | undefined
  /** How many missed slots are made up for, the latest of them, one after the other; none by default. */
  readonly makeUp?: number | undefined
}

/** A price the strategy wants to see before it decides. */
export type Watch = {
  readonly sell: Amount
  readonly buy: Token
  /** Wanted besides the indication: see {@link Context}. Nothing else is requested. */
  readonly wants?: readonly ('depth' | 'reference')[]
}

/** A balance of another account that the strategy wants to see before it decides. */
export type WatchedAccount = { readonly account: Address; readonly token: Token }

/** The same, and what the account held. */
export type AccountBalance = { readonly account: Address; readonly held: Amount }

/** An indicative price for one {@link Watch}: what selling exactly that amount would bring. A claim, not a promise. */
export type Indication = Price & { readonly route: readonly string[] }

/** One level of a book in the direction of the watch: an amount, and what it can be sold for. Exact. */
export type Level = Price

/** A swap of this strategy that is not decided yet. */
export type Inflight = {
  readonly swapId: string
  readonly sell: Amount
  readonly buy: Token
  readonly since: number
}

/** The amounts that a settled swap of this strategy sold and received. */
export type Fill = { readonly at: number; readonly price: Price }

/**
 * All that this strategy's settled swaps ever sold of one token for another. `recovered`: of swaps that were booked from the
 * chain, which may be another strategy's: what they sold counts against a limit, and what they bought for nobody.
 */
export type Total = Price & { readonly swaps: number; readonly recovered?: true | undefined }

/** A swap that the parameters alone foresee, with the worst price where a person wrote one. */
export type TypicalSwap = {
  readonly sell: Amount
  readonly buy: Token
  readonly price?: Price | undefined
  /** The market that it waits for, where that is another than at present: policy must let it through there. Since 1.1.0. */
  readonly market?: Price | undefined
  /** As in an {@link Intent}. */
  readonly recipient?: Address | undefined
}

/** An asset that is to be a part of the whole. Parts in hundred-millionths of the whole. */
export type Target = {
  readonly token: Token
  /** What counts as it now: a wrapped coin, and the native one less what pays the gas. */
  readonly parts: readonly Amount[]
  readonly share: bigint
  /** How far it may be from its share before anything is traded; 0 of a calendar without a band. */
  readonly band: bigint
}

/** Notes of a strategy for its next decision. Amounts as decimal text of the smallest unit. */
export type Memory = Readonly<Record<string, string | number | boolean | null>>

/** The journal's record of a strategy. Money facts come from here and never from {@link Memory}. */
export type Own = {
  readonly inflight: readonly Inflight[]
  readonly lastFill: Fill | undefined
  /** Newest first, at most `fillsMax`. */
  readonly fills: readonly Fill[]
  /** Settled, since the journal began. */
  readonly totals: readonly Total[]
}

/** Everything a decision may depend on. Frozen, and written to the journal with the decision. */
export type Context<params> = Own & {
  /** Milliseconds since the epoch. */
  readonly now: number
  /** The instant this tick was scheduled for; `now` may be a little later. */
  readonly slot: number
  readonly params: params
  /** One for each {@link Watch}, in the same order; undefined where the service had no price. */
  readonly indications: readonly (Indication | undefined)[]
  /** For each watch that wants `depth` the levels of the order book, best first; empty otherwise and where it has none. */
  readonly depths: readonly (readonly Level[])[]
  /** For each watch that wants `reference` the middle of the independent sources; undefined otherwise and where none answered. */
  readonly references: readonly (Price | undefined)[]
  /**
   * Balances that this strategy may use: {@link held} finds one. What open swaps sell, and what strategies
   * of the same or a higher priority keep for themselves, is not in it. A token that tells none at present is left out: a
   * strategy that names it, in its parameters or in what it watches, is not asked meanwhile.
   */
  readonly balances: readonly Amount[]
  /** One for each {@link WatchedAccount}, in the same order; undefined where the strategy watches none. */
  readonly accounts?: readonly AccountBalance[] | undefined
  /** The gas of a swap at present, in the native token; undefined where the chain did not tell. */
  readonly swapCost: Amount | undefined
  /**
   * The most that one swap may sell, for each token with a limit in `policy.perSwap`: {@link swapMax} finds one.
   * Undefined in a decision of before they were recorded.
   */
  readonly swapLimits: readonly Amount[] | undefined
  /** The most that one swap may be worth, as `policy.notional.perSwap` says. Undefined before it was recorded. */
  readonly swapWorth: Amount | undefined
  /** Its notes of the last decision under the same parameters; undefined before the first. */
  readonly memory: Memory | undefined
}

/** A wanted swap; verification and policy decide about it. */
export type Intent = {
  readonly sell: Amount
  readonly buy: Token
  /** The least the strategy accepts, exact, in the bought token. The decoded calldata is held to it. */
  readonly floor: Amount
  readonly reason: string
  /** Who receives what is bought; the wallet where it is left out. Policy must list it. */
  readonly recipient?: Address | undefined
  /** The part of `quote.expiry` that its quote is asked for, in bps; all of it where it is left out. */
  readonly expiryBps?: number | undefined
}

/**
 * Either intents, or the reason for none. All are recorded. `wait` closes a calendar slot for good; `postpone` leaves it
 * open, and it is decided again shortly, until it is {@link Cron.late}. So it does in a period of more than an hour, for an
 * hour. In a shorter one too, `wait` says that all is well, and `postpone` that something is to be done and cannot be: a
 * person is told once that lasts.
 */
export type Decision = (
  | { readonly kind: 'swap'; readonly intents: readonly Intent[] }
  | { readonly kind: 'wait' | 'postpone'; readonly reason: string }
) & {
  /** Handed to the next decision as {@link Context.memory}; left out, there is none. */
  readonly memory?: Memory | undefined
}

/**
 * A plug-in. Pure: the same context always gives the same decision, so every live decision replays as a test.
 * It cannot reach a key, a socket or the clock: this module is all it may import.
 */
export type Strategy<params> = {
  readonly name: string
  /** One line for `ballast config` and the dashboard. */
  readonly summary: string
  /** The {@link interfaceVersion} it was written for: a bot of another one does not run it. Left out, every bot does. */
  readonly writtenFor?: string
  /** Reads its part of `ballast.yaml`; every field carries its unit. */
  readonly params: (fields: Fields) => Schema<params>
  readonly schedule: (params: params) => Schedule
  readonly watch: (params: params) => readonly Watch[]
  /** Balances of other accounts that it wants to see; left out, none. A tape has none, so it is not replayed. */
  readonly accounts?: (params: params) => readonly WatchedAccount[]
  /** The part of the wallet it reserves; strategies of the same or a lower priority do not see it. */
  readonly reserves?: (
    own: Own & Pick<Context<params>, 'params' | 'now' | 'memory'>,
  ) => readonly Amount[]
  /**
   * Whether a price that a person wrote among the parameters bounds the floor of every intent. Left out, none does: then
   * live money needs a witness or `policy.bands`.
   */
  readonly pricedByPerson?: (params: params) => boolean
  /**
   * Swaps that policy must let through, or the strategy cannot work: `ballast config check` holds them to it. Their prices
   * are compared with the market, and one that is nowhere near it is told. Left out, they are what it watches, cut to what
   * one swap may sell.
   */
  readonly typicalSwaps?: (
    under: Pick<Context<params>, 'params' | 'swapLimits'>,
  ) => readonly TypicalSwap[]
  /** The tokens that it weighs against each other; left out, none. `ballast doctor` names what the wallet has besides. */
  readonly weighs?: (params: params) => readonly Token[]
  /** The parts of the whole that it keeps, with what the balances make of each; left out, none. The dashboard shows them. */
  readonly targets?: (under: Pick<Context<params>, 'params' | 'balances'>) => readonly Target[]
  /**
   * What it has spent so far of `budget` or `limit` among its parameters. Left out, all that it ever sold of that token. The
   * dashboard and `ballast plan` show it. Since 1.2.0.
   */
  readonly spent?: (own: Own & Pick<Context<params>, 'params'>) => Amount
  readonly decide: (context: Context<params>) => Decision
}

/** Types a strategy; returns it as it is. */
export function defineStrategy<params>(strategy: Strategy<params>): Strategy<params> {
  return strategy
}

/** Why a strategy that has one swap at a time starts no other; undefined where none is in flight. */
export function inFlight({ inflight: [open] }: Pick<Own, 'inflight'>): string | undefined {
  return open && `Swap ${open.swapId} of ${show(open.sell)} is in flight.`
}

/** No swap, and why. Silence is explained too. */
export const wait = (reason: string): Decision => ({ kind: 'wait', reason })

/** Not yet, and why: a calendar slot stays open. */
export const postpone = (reason: string): Decision => ({ kind: 'postpone', reason })

/** Swap these, in this order. */
export const swap = (...intents: readonly Intent[]): Decision => ({ kind: 'swap', intents })

/** The same decision, and what the next one is to know. */
export const remember = (memory: Memory, decision: Decision): Decision => ({ ...decision, memory })
