import type { LoadedStrategy } from '../../bot/strategy/load.ts'
import type { Amount } from '../../core/amount.ts'
import type { Token } from '../../core/token.ts'
import type { Block } from './judge.ts'

/** One intent of one slot, and what it would bring. */
export type PlannedSwap = {
  readonly sell: Amount
  readonly buy: Token
  /** Undefined where no price is known, like what follows from one. */
  readonly floor: Amount | undefined

  readonly received: Amount | undefined
  /** What the best price of the book alone would bring; undefined where there is no book, or it is too thin. */
  readonly atBest: Amount | undefined
  readonly gas: Amount | undefined
  readonly notional: Amount | undefined
  /** Why it would not be done; empty where nothing stands in its way. */
  readonly blocks: readonly Block[]
}

/** One slot and what would come of it. */
export type Ask = {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly kind: 'swap' | 'wait' | 'postpone' | 'locked' | 'unknown'
  readonly reason: string
  readonly swaps: readonly PlannedSwap[]
  /** What kept the strategy from being asked, or from having enough. */
  readonly blocks: readonly Block[]
}

/** All slots of one strategy. */
export type Course = {
  readonly loaded: LoadedStrategy
  /** In order. Of a period, only those where something else comes than at the slot before. */
  readonly asks: readonly Ask[]
  /** How many slots were due before it ended. */
  readonly slots: number
  /** Up to here it is planned; undefined where that is the whole window. */
  readonly plannedUntil: number | undefined
}
