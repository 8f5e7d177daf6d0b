import type { Amount } from '../core/amount.ts'
import type { Found, Leg } from './aftermath.ts'
import type { AttemptRecord } from './record.ts'
import type { Plan } from './stages.ts'
import type { SwapState } from './state.ts'

/** All the journal knows of one swap, typed: `explain` shows it, `report` measures it. Instants in milliseconds. */
export type Dossier = {
  readonly id: string
  readonly strategy: string
  readonly state: SwapState
  readonly code: string | undefined
  /** Why it ended otherwise than settled. */
  readonly reason: string | undefined
  /** The slot it was planned at; absent in older rows, and for a swap by hand. */
  readonly slot?: number | undefined
  readonly createdAt: number
  readonly updatedAt: number
  readonly signedAt: number | undefined
  readonly nonce: number | undefined
  readonly plan: Plan
  readonly quote: QuoteRecord | undefined
  /** The amounts really moved; undefined where nothing settled. */
  readonly moved: { readonly sold: Amount; readonly received: Amount } | undefined
  readonly gasUsed: bigint | undefined
  /** Wei, by the swap's own transaction, and with the approvals before it. */
  readonly gasPaid: bigint | undefined
  readonly gasPaidInAll: bigint | undefined
  /** The tips in the latter; undefined where they were not written down. */
  readonly tipPaidInAll?: bigint | undefined
  /** The base fees in it; undefined likewise. What is left over is what a rollup took for bytes. */
  readonly basePaidInAll?: bigint | undefined
  /** Whether the balances moved by exactly what the router reported; undefined where they could not be read. */
  readonly agrees: boolean | undefined
  readonly block: number | undefined
  /** The hashes of that block and of its transaction; absent where it is in none, and in older rows. */
  readonly mined?: { readonly hash: string; readonly blockHash: string | undefined } | undefined
  /** What was read after its block, or after it came to nothing; absent in older journals. */
  readonly aftermath?: { readonly at: number; readonly found: Found } | undefined
  readonly attempts: readonly AttemptRecord[]
  /** When each thing happened to it, in order. */
  readonly events: readonly { readonly seq: number; readonly at: number; readonly type: string }[]
}

/** The firm quote it was signed on. */
export type QuoteRecord = {
  readonly quoteId: string
  readonly amountOut: Amount
  readonly minimum: Amount
  /** Unix seconds. */
  readonly deadline: number
  /** The filler, as the quote names it: `maker-a`, `maker-a+uniswap-v3`; undefined where it names none. */
  readonly source: string | undefined
  readonly simulation: {
    readonly block: number | undefined
    readonly spent: Amount
    readonly received: Amount
    readonly gas: bigint
    /** The degree of proof it was signed with; absent in older rows. */
    readonly proof?: string | undefined
  }
  /** Absent in older rows. */
  readonly requestedAt: number | undefined
  readonly receivedAt: number | undefined
  readonly appraisal: AppraisalRecord | undefined
  /** Its legs in their order; absent in older rows, and where the calldata could not be read. */
  readonly legs?: readonly Leg[] | undefined
}

/** The answers of the independent sources right before the quote was requested. */
export type AppraisalRecord = {
  readonly askedAt: number
  /** Where the sources on the chain were read; absent in older rows. */
  readonly block?: number | undefined
  readonly references: readonly {
    readonly source: string
    readonly fair: Amount
    readonly independent: boolean
    readonly at: number
  }[]
  readonly absent: readonly { readonly source: string; readonly reason: string }[]
  /** The sold amount, and one whole coin of the chain, in the unit of account. */
  readonly notional: Amount | undefined
  readonly coin: Amount | undefined
}
