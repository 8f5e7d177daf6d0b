import type { FirmQuery, FirmQuote } from '../api/firmQuote.ts'
import type { OpaqueQuote } from '../api/opaqueQuote.ts'
import type { Hex } from '../chain/calls/fields.ts'
import type { ExactInput, SignedOrder } from '../chain/settlement/order.ts'
import type { SignedPermit } from '../chain/settlement/permit.ts'
import type { Amount } from '../core/amount.ts'
import type { Check } from '../core/check.ts'
import type { Price } from '../core/price.ts'
import type { Address, Token } from '../core/token.ts'
import type { SwapState } from './state.ts'
import type { Intent } from './strategy/index.ts'

export type { Context, Decision, Intent } from './strategy/index.ts'

declare const stage: unique symbol

/** A value that has passed the named stage. Only that stage's own folder makes one; a test holds it to that. */
type At<name extends string, fields> = fields & { readonly [stage]: name }

/** Marks a value as having passed the named stage: `pass<Verified>({ ...quoted, checks })`. */
export function pass<value extends { readonly [stage]: string }>(
  fields: Omit<value, typeof stage>,
): value {
  return fields as value
}

/** A transaction's call, before nonce, gas and fees. */
export type Call = { readonly to: Address; readonly data: Hex; readonly value: bigint }

/** Gas limit and EIP-1559 fees, wei per gas. */
export type Fees = {
  readonly gas: bigint
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

/** Every field of a transaction. Nothing is left for an endpoint to fill in. */
export type Transaction = Call & Fees & { readonly chainId: number; readonly nonce: number }

/** The purpose of the transaction. */
export type AttemptKind = 'SWAP' | 'APPROVE' | 'CANCEL'

/** An intent with everything that was decided around it. */
export type Plan = {
  readonly swapId: string
  /** Unique over the life of the journal: the same slot of the same strategy can be planned once. */
  readonly key: string
  readonly strategy: string
  readonly intent: Intent
  readonly wallet: Address
  readonly recipient: Address
  readonly slippageBps: number
  readonly expirySeconds: number
  /** The price the decision saw; undefined for a manual swap without one. */
  readonly indication: Price | undefined
  /** The sold amount in the policy's unit of account; undefined where no independent source prices it. */
  readonly notional: Amount | undefined
  /** Answers of independent sources when it was decided; absent where none answered, and in older plans. */
  readonly arrival?: Arrival | undefined
}

/** Worth of the sold amount to the sources that are not the service: execution is measured against it. */
export type Arrival = {
  /** The middle of the sources, in the bought token. */
  readonly fair: Amount
  readonly sources: readonly string[]
  /** Milliseconds since the epoch: the time of the oldest of them. */
  readonly at: number
  /** Where those on the chain were read; absent where none is, and in older plans. */
  readonly block?: number | undefined
}

/** Use of the limits by this wallet's other swaps. Undecided ones count; those that ended without a swap do not. */
export type Spent = {
  /** Of the sold token in 24 hours, in its smallest unit. */
  readonly sold: bigint
  /** In the unit of account. */
  readonly hour: bigint
  readonly day: bigint
  /** Of the same strategy, in 24 hours. */
  readonly strategy: bigint
  /** Swaps of the last 24 hours that were counted in another unit, and so cannot be added up. */
  readonly otherUnit: number
  /** When this strategy last began a swap of this pair that was not refused; milliseconds since the epoch. */
  readonly lastAt: number | undefined
}

type Allowed = {
  /** Approvals still missing. Empty in a live swap; a dry run simulates them before the swap. */
  readonly approvals: readonly Call[]
  /** Where the token sold keeps what the router may take; undefined where nothing is traced or it is unknown. */
  readonly allowanceSlot?: Hex | undefined
  /** What the router may take of the token sold once the swap is done; undefined where it needs no allowance. */
  readonly allowanceLeft?: bigint | undefined
  /** How the token takes a permit in place of the approvals; undefined where it takes none, or none is needed. */
  readonly tokenPermit?: TokenPermit | undefined
  /** How Permit2 moves the token in place of the approvals; undefined where it cannot, or need not. */
  readonly permit2?: Permit2Way | undefined
  /** The permit that its call brings along. */
  readonly signedPermit?: SignedPermit | undefined
}

/** What a transfer through Permit2 is made of. */
export type Permit2Way = {
  /** A bit of the wallet's that Permit2 has not set, and the word around it as it is. */
  readonly nonce: bigint
  readonly word: bigint
  /** Approvals of Permit2 still missing. */
  readonly approvals: readonly Call[]
  /** Where the token keeps what Permit2 may take, and what that is once the swap is done. */
  readonly allowanceSlot: Hex | undefined
  readonly allowanceLeft: bigint
}

/** What a permit of a token is made of, by the token's own word. */
export type TokenPermit = {
  readonly name: string
  readonly version: string
  readonly nonce: bigint
  /** Where the token keeps the nonce; undefined where nothing is traced or it is unknown. */
  readonly nonceSlot: Hex | undefined
}

/** Worth of the sold amount by one source that is not the quoted price. */
export type ReferencePrice = {
  /** Names the source in checks and reports: `uniswap-v3 0x…`. */
  readonly source: string
  /** The sold amount in the bought token, rounded down. */
  readonly fair: Amount
  /** The same as a rate, where what is rounded off may be more than a millionth of it. */
  readonly exact?: Price | undefined
  /** Not the word of the service that gives the quote. */
  readonly independent: boolean
  /** The hosts it rests on: two prices of one node are one opinion. */
  readonly endpoints: readonly string[]
  /** How many of them must lie for it to be false. */
  readonly liarsMin: number
  /**
   * Milliseconds since the epoch: time of the older of what it rests on. A pool dates from the block its window ends
   * with, a feed from its update, an order book from its query.
   */
  readonly at: number
}

/** The rate of a reference for the sold amount, rounded by a millionth at most. */
export const rateOfReference = ({ exact, fair }: ReferencePrice, sell: Amount): Price =>
  exact ?? { sold: sell, bought: fair }

/** The known worth of a swap without requesting its quote. */
export type Appraisal = {
  /** Milliseconds since the epoch. */
  readonly askedAt: number
  /** Where the sources on the chain were read; undefined where none was. */
  readonly block?: number | undefined
  readonly references: readonly ReferencePrice[]
  /** Sources that would have counted and did not answer: a refusal names them. */
  readonly absent: readonly { readonly source: string; readonly reason: string }[]
  /** The sold amount in the unit of account, as independent sources see it. */
  readonly notional: Amount | undefined
  /** One whole coin of the chain's own currency in the unit of account: what gas costs. */
  readonly coin: Amount | undefined
  /** How far each stablecoin in play is from its peg, in bps, by the worst source; undefined where none answers. */
  readonly pegs: readonly { readonly token: Token; readonly offBps: number | undefined }[]
}

/** A source that gave no price, or a token that gave no balance, at its last readings. Instants are milliseconds since the epoch. */
export type Silence = {
  readonly source: string
  /** Of the last reading. */
  readonly reason: string
  /** The first reading without an answer since the last with one. */
  readonly since: number
  /** The last reading. */
  readonly until: number
}

/**
 * Queries the independent sources, all of them in one round trip. With `asOf` those on the chain are read at that block, as
 * they were at that instant; a book that is not on the chain says what it says now.
 */
export type Appraise = (ask: {
  readonly sell: Amount
  readonly buy: Token
  readonly asOf?: AsOf | undefined
}) => Promise<Appraisal>

/** A height, and an instant in milliseconds since the epoch. */
export type AsOf = { readonly block: number; readonly at: number }

type Worth = { readonly appraisal: Appraisal }

type Claim = {
  readonly request: FirmQuery
  readonly quote: FirmQuote | OpaqueQuote
  /** The answer as it came. */
  readonly body: string
  /** Milliseconds since the epoch. */
  readonly requestedAt: number
  readonly receivedAt: number
}

type Fact = {
  readonly call: Call
  /** As decoded; undefined for a foreign router, whose calldata is a closed box. */
  readonly swap: ExactInput | undefined
  /** As decoded; none for a foreign router. */
  readonly orders: readonly SignedOrder[]
  /** Digest the router consumes; names the swap in its `Swapped` event. Undefined for a foreign router. */
  readonly authorization: Hex | undefined
  /** The router's key of a quote; used once, for ever. */
  readonly quoteId: string
  /** Unix seconds: the earliest of all orders. */
  readonly deadline: number
  /** The amount the quote promises, and the least the calldata allows. */
  readonly amountOut: Amount
  readonly minimum: Amount
  readonly checks: readonly Check[]
}

type Proof = {
  readonly fees: Fees
  /** The nonce the chain expected at the simulated block. */
  readonly nonce: number
  readonly simulation: {
    readonly block: number
    /** Milliseconds since the epoch, before the chain was queried: the state seen is at least this old. */
    readonly startedAt: number
    readonly spent: Amount
    readonly received: Amount
    /** In the receipt: of the call, and of its bytes where a chain counts them as gas. */
    readonly gas: bigint
    /** Of the approvals that were played before it; 0 where it needs none. */
    readonly approvalGas: bigint
    /** Wei per gas: the price of the simulated block, its base fee and a tip. */
    readonly gasPrice: bigint
    /** The tip in it. */
    readonly tip: bigint
    /** Wei per gas: at a higher price the swap would cost more of what it sells than policy allows. */
    readonly feeMost: bigint
    /** Wei on top of the gas, for the bytes; absent on a chain that takes nothing for them. */
    readonly rollupFee?: bigint
    /** The degree of proof that it is signed with. */
    readonly proof: string
  }
}

export type Planned = At<'planned', Plan>
export type Funded = At<'funded', Plan & Allowed>
export type Appraised = At<'appraised', Plan & Allowed & Worth>
export type Quoted = At<'quoted', Plan & Allowed & Worth & Claim>
export type Verified = At<'verified', Plan & Allowed & Worth & Claim & Fact>
export type Permitted = At<'permitted', Plan & Allowed & Worth & Claim & Fact>
export type Simulated = At<'simulated', Plan & Allowed & Worth & Claim & Fact & Proof>

type Bytes = {
  readonly swapId: string
  readonly kind: AttemptKind
  readonly wallet: Address
  readonly transaction: Transaction
  readonly raw: Hex
  readonly hash: Hex
}

/** Signed, parsed back and compared; known to this process alone. */
export type Signed = At<'signed', Bytes>
/** Durable. The only thing that may be broadcast. */
export type Journaled = At<'journaled', Bytes>
/** The same of bytes that belong to no swap. */
export type Durable = At<'journaled', Pick<Bytes, 'raw' | 'hash'>>

/** Facts the breakers judge a swap that has ended by. Instants in milliseconds since the epoch. */
export type EndFacts = {
  readonly at: number
  readonly id: string
  readonly strategy: string
  readonly wallet: Address
  readonly swap: {
    readonly state: SwapState
    readonly code: string | null
    /** Smallest units of the bought token; undefined where nothing settled. */
    readonly received: bigint | undefined
    readonly minimum: bigint | undefined
    /** Whether the balances show less in, or more out, than the router reports. */
    readonly short: boolean | undefined
    /** It was signed, or its approvals were, and nothing settled. */
    readonly onlyCostGas: boolean
    readonly failedChecks: readonly string[]
  }
  /** Ends since a person last released such a lock, newest first, this one among them. */
  readonly strategyEnds: readonly {
    readonly state: SwapState
    readonly code: string | null
    /** Milliseconds since the epoch. */
    readonly at: number
  }[]
  readonly walletEnds: readonly { readonly state: SwapState; readonly code: string | null }[]
  /** The wallet's payments for gas, wei. */
  readonly gasPaid: readonly { readonly at: number; readonly wei: bigint }[]
}

/** Facts the breakers judge a look at the market by. Instants in milliseconds since the epoch. */
export type LookFacts = {
  readonly at: number
  readonly wallet: Address
  readonly headAt: number
  /** How far the service's clock is ahead of this one; undefined where it gave none. */
  readonly serviceAheadMs: number | undefined
  /** In the order of the strategy's watches. */
  readonly prices: readonly (Price | undefined)[]
  /** The same at the look before. */
  readonly before:
    | { readonly at: number; readonly prices: readonly (Price | undefined)[] }
    | undefined
  /** Amounts the wallet should hold on top of its balances. */
  readonly missing: readonly Amount[]
  /** Where something is missing: the wallet's nonce at the block of the balances, and the next one by the books. */
  readonly nonce?: { readonly ofChain: number; readonly ofBooks: number } | undefined
}

/** The stages that only read. A dry run has these and no others, and needs no key. */
export type Reading = {
  fund(planned: Planned): Promise<Funded>
  appraise(funded: Funded): Promise<Appraised>
  quote(appraised: Appraised): Promise<Quoted>
  verify(quoted: Quoted): Promise<Verified>
  permit(verified: Verified): Promise<Permitted>
  simulate(permitted: Permitted): Promise<Simulated>
}
