import type { Appraise, Plan, Spent } from '../bot/stages.ts'
import type { Context, Level, Own } from '../bot/strategy/index.ts'
import type { LoadedStrategy } from '../bot/strategy/load.ts'
import type { Amount } from '../core/amount.ts'
import type { BallastError } from '../core/errors.ts'
import type { Address, Token } from '../core/token.ts'
import type { PlanBlock } from './findBlocks.ts'

/** One intent of one slot, and what it would bring. */
export type PlannedSwap = {
  readonly sell: Amount
  readonly buy: Token
  /** Undefined where no price is known, like what follows from one. */
  readonly floor: Amount | undefined
  /** Undefined where it is the wallet. */
  readonly recipient?: Address | undefined
  /** What it would bring. */
  readonly received: Amount | undefined
  /** The amount at the best price of the book alone; undefined where there is no book, or it is too thin. */
  readonly atBest: Amount | undefined
  readonly gas: Amount | undefined
  readonly notional: Amount | undefined
  /** Why it would not be done; empty where nothing stands in its way. */
  readonly blocks: readonly PlanBlock[]
}

/** One slot and what would come of it. */
export type PlannedSlot = {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly kind: 'swap' | 'wait' | 'postpone' | 'locked' | 'unknown'
  readonly reason: string
  readonly swaps: readonly PlannedSwap[]
  /** The reasons that kept the strategy from being called, or from having enough. */
  readonly blocks: readonly PlanBlock[]
}

/** All slots of one strategy. */
export type StrategyForecast = {
  readonly loaded: LoadedStrategy
  /** In order. Of a period, only those where something else comes than at the slot before. */
  readonly asks: readonly PlannedSlot[]
  /** The number of slots due before it ended. */
  readonly slots: number
  /** Up to here it is planned; undefined where that is the whole window. */
  readonly plannedUntil: number | undefined
}

/** One strategy's view of the market: in the order of its watches. */
export type MarketView = Pick<
  Context<unknown>,
  'indications' | 'depths' | 'references' | 'swapCost' | 'accounts'
> & {
  /** The order book for every watch, whether the strategy wants to see it or not. */
  readonly levels: readonly (readonly Level[])[]
  /**
   * The cost of a swap by those that were done; undefined before the first, when `swapCost` is only the most there may
   * be.
   */
  readonly knownCost: Amount | undefined
}

/** The known facts of one strategy so far. */
export type StrategyHistory = Own & Pick<Context<unknown>, 'memory'>

/** Everything a plan starts from, or what is supposed in its place. Instants are milliseconds since the epoch. */
export type CompleteOutlook = {
  readonly now: number
  /** The wallet's holdings. */
  readonly balances: readonly Amount[]
  readonly view: (strategy: string) => MarketView
  readonly standing: (strategy: string) => StrategyHistory
  readonly appraise: Appraise
  /** Whether the references were queried. Where not, `appraise` knows only which of them are missing. */
  readonly valued: boolean
  /** The amounts the journal counts against the limits at an instant to come, if nothing is done until then. */
  readonly spent: (plan: Plan, at: number) => Promise<Spent>
  /** The use of the limits over all wallets that will count at an instant to come, in the smallest unit of USD. */
  readonly ofAllWallets: (at: number) => Promise<Pick<Spent, 'hour' | 'day'>>
  /**
   * The slots of a strategy that are planned come after this one: the last that is over, of a calendar. Some may be past,
   * and still open.
   */
  readonly goesOnAfter: (strategy: string) => number
  /** The lock that will hold at an instant to come, unless a person opens or releases one. */
  readonly lock: (subject: Subject, at: number) => Promise<BallastError | undefined>
}

type Subject = {
  readonly strategy: string
  readonly pair?: { readonly sell: string; readonly buy: string }
}

/** The facts found out before a plan. An undefined one was not found; `unknown` states why, a sentence each. */
export type Outlook = Pick<
  CompleteOutlook,
  'now' | 'appraise' | 'valued' | 'spent' | 'ofAllWallets' | 'goesOnAfter' | 'lock'
> & {
  readonly balances: readonly Amount[] | undefined
  /** By strategy; one that is missing could not look at its market. */
  readonly views: ReadonlyMap<string, MarketView>
  readonly standing: (strategy: string) => StrategyHistory
  readonly unknown: readonly string[]
}
