import type { AmountText } from '../core/amount.ts'

/** The schedules' actions if prices stay as they are. Plain data. Times are ISO 8601. */
export type PlanView = {
  readonly from: string
  readonly until: string
  readonly strategies: readonly PlannedStrategy[]
  readonly months: readonly PlannedMonth[]
  /** The first time each rule stands in the way of each strategy. */
  readonly blocks: readonly PlannedBlock[]
  /** Facts that could not be found out, a sentence each. */
  readonly unknown: readonly string[]
}

export type PlannedStrategy = {
  readonly name: string
  readonly summary: string
  /** `0 9 * * 1 in Europe/Berlin` or `every 5s`. */
  readonly schedule: string
  /** Each slot may come later by up to this. */
  readonly jitterSeconds: number | null
  /** The present state: distances to prices, budgets. A sentence each. */
  readonly facts: readonly string[]
  /** Slots that are due. Of a period, `asks` has only those where something changes. */
  readonly slots: number
  /** Where planning ended before the window did; null where it did not. */
  readonly plannedUntil: string | null
  readonly asks: readonly PlannedAsk[]
}

export type PlannedAsk = {
  readonly at: string
  /** On the clocks of the schedule: `Mon 4 Jan 2027 09:00 +01:00`. */
  readonly local: string
  /** The effect of a change of summer time on this slot. */
  readonly clocks: string | null
  /** `unknown` depends on what could not be found out. */
  readonly kind: 'swap' | 'blocked' | 'wait' | 'postpone' | 'locked' | 'unknown'
  readonly reason: string
  readonly swaps: readonly PlannedSwapView[]
}

export type PlannedSwapView = {
  readonly sell: AmountText
  readonly buy: string
  readonly floor: AmountText | null
  /** Who receives it; null where it is the wallet. */
  readonly recipient: string | null
  /** At the order book as it is. */
  readonly received: AmountText | null
  /** Shortfall from the best price of the order book. */
  readonly impactBps: number | null
  readonly gas: AmountText | null
  /** Of the sold token, over the window, with this swap. */
  readonly soldSoFar: AmountText
  /** Names of the rules that refuse it; empty where none does. */
  readonly blockedBy: readonly string[]
}

export type PlannedMonth = {
  /** `2027-01`, on the clocks of the schedule. */
  readonly month: string
  readonly strategy: string
  readonly swaps: number
  readonly sold: readonly AmountText[]
  readonly received: readonly AmountText[]
  /** Cost of the book's depth, in the bought tokens. */
  readonly impact: readonly AmountText[]
  readonly gas: AmountText | null
}

export type PlannedBlock = {
  readonly strategy: string
  readonly rule: string
  readonly at: string
  readonly local: string
  /** `ballast.yaml:23:3`; null where no key decides it. */
  readonly where: string | null
  /** Number of slots it stops; null for a period, of which not every slot is looked at. */
  readonly slots: number | null
  readonly sentence: string
}
