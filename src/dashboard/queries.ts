import type { AmountText } from '../core/amount.ts'
import type { PlanView } from './planView.ts'

/** The pages' queries to the journal. Plain data: it goes out as JSON as it is. */
export type Queries = {
  /** Newest first; `before` is the id of the last swap of the page before. */
  swaps(page: { readonly limit: number; readonly before?: string }): Promise<readonly SwapView[]>
  swap(id: string): Promise<SwapView | undefined>
  strategies(): Promise<readonly StrategyView[]>
  /** Locks that hold now, oldest first. */
  locks(): Promise<readonly LockView[]>
  /** The schedules' actions in a number of milliseconds, as of a minute ago at most. */
  plan(spanMs: number): Promise<PlanView>
  /** The books in numbers, as of a minute ago at most. */
  figures(): Promise<FiguresView>
}

/** The books in numbers, for display. */
export type FiguresView = {
  /** By final state. */
  readonly swapsEnded: readonly { readonly state: string; readonly count: number }[]
  readonly swapsOpen: number
  /** Calendar slots that are over. */
  readonly slots: readonly { readonly state: string; readonly count: number }[]
  /** Of all transactions. */
  readonly gasPaidWei: bigint
  /** Null for a journal on a server. */
  readonly journalBytes: number | null
  readonly diskFreeBytes: number | null
}

/** A reason why something is not done. Times are ISO 8601. */
export type LockView = {
  readonly id: number
  readonly kind: string
  readonly scope: string
  readonly code: string
  readonly reason: string
  readonly openedAt: string
  /** Null for one that only a person releases. */
  readonly expiresAt: string | null
}

/** One swap: what was wanted, and what really moved. Times are ISO 8601. */
export type SwapView = {
  readonly id: string
  readonly strategy: string
  readonly state: string
  readonly reason: string
  readonly code: string | null
  readonly createdAt: string
  readonly updatedAt: string
  readonly sell: AmountText
  readonly buy: string
  readonly floor: AmountText
  readonly sold: AmountText | null
  readonly received: AmountText | null
  /** Realised price against the indication the decision saw; negative is worse. */
  readonly againstIndicationBps: number | null
  readonly checks: { readonly passed: number; readonly total: number } | null
  readonly gasUsed: string | null
  readonly gasPaidWei: string | null
  readonly txHash: string | null
  readonly block: number | null
}

/** One strategy and its last decision; nulls before the first. */
export type StrategyView = {
  readonly name: string
  readonly summary: string
  /** `postpone` leaves a calendar slot open. */
  readonly decision: 'swap' | 'wait' | 'postpone' | null
  readonly reason: string | null
  readonly decidedAt: string | null
  /** The next slot it will be queried for. */
  readonly nextAt: string | null
}

/** One thing that a person must know now. Times are ISO 8601. */
export type AttentionView = {
  readonly kind: string
  /** Stable; that of a lock is the lock's own. */
  readonly code: string
  readonly severity: 'critical' | 'warning' | 'info'
  readonly subject: string
  readonly since: string
  readonly sentence: string
  /** The next step of a person. */
  readonly next: string
}

/** How the process is doing. */
export type Health = {
  /** Whether there is nothing to attend to. */
  readonly ready: boolean
  readonly attention: readonly AttentionView[]
  readonly mode: 'live' | 'paper' | 'dry-run'
  /** Prices come from the embedded market: nothing here is about real money. */
  readonly sandbox: boolean
  readonly chain: string
  readonly chainId: number
  /** Symbol of the chain's own currency. */
  readonly currency: string
  readonly wallet: string
  readonly head: { readonly block: number; readonly at: string } | null
  readonly balances: readonly AmountText[]
}
