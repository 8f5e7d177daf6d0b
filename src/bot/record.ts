import type { AmountText } from '../core/amount.ts'
import type { Check } from '../core/check.ts'

/** A swap as people see it: in `history`, on the page, in the terminal. Amounts are what really moved. */
export type SwapRecord = {
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
  /** The other account that gets what is bought; null for the wallet itself. */
  readonly recipient: string | null
  /** Realised price against the indication the decision saw, in basis points; negative is worse. */
  readonly againstIndicationBps: number | null
  readonly checks: { readonly passed: number; readonly total: number } | null
  readonly gasUsed: string | null
  /** By the swap's own transaction. */
  readonly gasPaidWei: string | null
  /** With the approvals before it. */
  readonly gasPaidInAllWei: string | null
  /** The tips in it; null where they were not written down. The rest is base fee. */
  readonly gasTipInAllWei: string | null
  readonly agrees: boolean | null
  readonly txHash: string | null
  readonly block: number | null
  /** In the order in which they were signed. */
  readonly attempts: readonly AttemptRecord[]
}

/** Signed bytes as people see them. */
export type AttemptRecord = {
  readonly kind: string
  readonly hash: string
  readonly nonce: number
  /** The hash of the bytes that these outbid. */
  readonly replaces: string | null
  /** Per gas. */
  readonly maxFeeWei: string
  readonly tipWei: string
  readonly signedAt: string
  /** Height of the head when they were last sent; null while they never left. */
  readonly sentAtBlock: number | null
  /** When it was written down that public endpoints get them beside private relays; null where they do not. */
  readonly publishedAt: string | null
  /** The network's last answer, as a word and in its own words. */
  readonly verdict: string | null
  readonly answer: string | null
}

/** The evidence a swap was signed on. */
export type QuoteEvidence = {
  readonly quoteId: string
  readonly amountOutWei: string
  readonly minimumWei: string
  readonly deadlineTimestamp: number
  readonly checks: readonly Check[]
  readonly simulation: {
    readonly spent: { readonly wei: string }
    readonly received: { readonly wei: string }
    readonly gas: string
    /** Of the approvals before it, and wei per gas; absent in older rows. */
    readonly approvalGas?: string
    readonly gasPrice?: string
    /** The degree of proof; absent in older rows. */
    readonly proof?: string
  }
}
