import type { Amount } from '../core/amount.ts'
import type { Price } from '../core/price.ts'

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
  readonly gas: Amount
  /** The gas in the bought token, by the middle at execution; undefined where the tape does not lead there. */
  readonly gasWorth: Amount | undefined
}

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
  readonly unseen: Map<string, number>
  /** Why it did not want to, with the numbers left out, and how often. */
  readonly waits: Map<string, number>
  /** Why a wanted swap did not come about, and how often. */
  readonly unsent: Map<string, number>
  /** Sent, included and undone: nothing was sold, the gas was paid. */
  reverted: number
  revertedGas: bigint
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
  reverted: 0,
  revertedGas: 0n,
  executions: [],
  slots: [],
})

/** One more of these. */
export function count(counts: Map<string, number>, what: string): void {
  counts.set(what, (counts.get(what) ?? 0) + 1)
}
