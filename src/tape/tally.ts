import type { Amount } from '../core/amount.ts'
import type { Price } from '../core/price.ts'
import type { Token } from '../core/token.ts'

/** A swap that was carried out, with what the market was when. */
export type Execution = {
  readonly slot: number
  readonly decidedAt: number
  readonly quotedAt: number
  readonly includedAt: number
  readonly settledAt: number
  readonly price: Price
  /** The middle when it was decided, and what was sold at that middle. */
  readonly middle: Price | undefined
  /** All that its book would have taken of what was sold. */
  readonly depth: bigint
} & GasPaid

/** What a transaction cost. */
type GasPaid = {
  readonly gas: Amount
  /** The gas in the bought token, by the middle at execution; undefined where the tape does not lead there. */
  readonly gasWorth: Amount | undefined
}

/** A swap that was sent, included and undone: nothing was sold, the gas was paid. */
export type Revert = GasPaid & { readonly sold: Token; readonly bought: Token }

/** Reasons by their kind. */
type Counts = Map<string, { readonly reason: string; readonly times: number }>

/** The end of a calendar slot. */
export type SlotOutcome = {
  readonly slot: number
  readonly state: 'done' | 'passed' | 'failed' | 'missed'
  readonly reason: string
}

/** The counts of one strategy in a replay. */
export type ReplayTally = {
  /** The number of turns, and of those the turns with a market. */
  asked: number
  decided: number
  swapsWanted: number
  /** Why there was no market, and how often. */
  readonly unseen: Counts
  /** Why it did not want to, and how often: reasons that differ in their numbers alone are one. */
  readonly waits: Counts
  /** Why a wanted swap did not come about, and how often. */
  readonly unsent: Counts
  readonly reverts: Revert[]
  readonly executions: Execution[]
  readonly slots: SlotOutcome[]
}

export const emptyTally = (): ReplayTally => ({
  asked: 0,
  decided: 0,
  swapsWanted: 0,
  unseen: new Map(),
  waits: new Map(),
  unsent: new Map(),
  reverts: [],
  executions: [],
  slots: [],
})

/** One more of a kind of reason: counted together, and the latest stands for all. */
export function count(counts: Counts, reason: string, kind = reason): void {
  counts.set(kind, { reason, times: (counts.get(kind)?.times ?? 0) + 1 })
}
