import type { Hex } from '../chain/calls/fields.ts'
import type { Amount } from '../core/amount.ts'
import type { Address, Token } from '../core/token.ts'
import type { LimitEntry } from './spent.ts'
import type { SwapState } from './state.ts'

/** Whose books are looked into, and how far back. */
export type BooksScope = {
  readonly chainId: number
  readonly wallet: Address
  /** Milliseconds since the epoch: swaps that changed since, and all that are open. 0 for everything. */
  readonly since: number
}

/** Block that the journal records something as mined in. */
export type BookedBlock = { readonly number: number; readonly hash: Hex | undefined }

/** Signed bytes, as the journal keeps them. */
export type BookedAttempt = {
  readonly hash: Hex
  readonly kind: string
  readonly nonce: number
  /** Of an approval that is decided. */
  readonly closed: BookedBlock | undefined
  /** Given up for good: another transaction took its nonce. */
  readonly displaced: boolean
  /** Of an approval; a swap's own is with the swap. */
  readonly gasPaid: bigint | undefined
  /** Whether the log shows these exact bytes as signed for this swap. */
  readonly logged: boolean
}

/** A swap that has bytes or a quote, as the journal keeps it. */
export type BookedSwap = {
  readonly swapId: string
  readonly state: SwapState
  readonly sell: Amount
  readonly buy: Token
  readonly recipient: Address
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  readonly updatedAt: number
  readonly nonce: number | undefined
  /** Unix seconds. */
  readonly deadline: number | undefined
  readonly router: Address | undefined
  readonly authorization: Hex | undefined
  readonly included: (BookedBlock & { readonly transaction: Hex }) | undefined
  /** Whether a person ended it: it was mined, and moved nothing. */
  readonly isWrittenOff: boolean
  /** The amounts it moved; undefined for one that did not settle. */
  readonly moved: { readonly sold: bigint; readonly received: bigint } | undefined
  readonly gasPaid: bigint | undefined
  readonly agrees: boolean | undefined
  readonly attempts: readonly BookedAttempt[]
}

/** How a wallet's nonces came into the books. */
export type Adoption = {
  /** The first nonce that is ours; undefined for a wallet the journal does not know. */
  readonly nonce: number | undefined
  /** The nonce the journal would give next. */
  readonly nextNonce: number | undefined
  /** Nonces a person released: from what the journal would have given, up to what the chain expected. */
  readonly releases: readonly {
    readonly from: number
    readonly to: number
    readonly at: number
    readonly reason: string
  }[]
}

/** One entry of the log that begins or ends the time in which a swap's bytes can be mined. */
export type QuoteEvent = {
  readonly seq: number
  readonly swapId: string
  readonly does: 'quote' | 'sign' | 'end'
}

/** Amounts a router may take of a token by the books: any of these, where a transaction is under way. */
export type BookedAllowance = {
  readonly token: Token
  readonly spender: Address
  readonly wei: readonly bigint[]
  /** Whether an approval ever took effect: before the first one, what stands is of no book. */
  readonly isSet: boolean
  /** What permits that no settled swap used may have set beside: anybody who saw one could give it to the token. */
  readonly permitted: readonly {
    readonly wei: bigint
    /** Whether its swap is under way, and may use it up. */
    readonly isOpen: boolean
  }[]
  /** The swap that left it, or that needs it. */
  readonly swapId: string
}

/** How far the books were found to be in order. */
export type CleanMark = {
  /** Height of the block at the configured depth. */
  readonly block: number
  /** The last entry of the log. */
  readonly seq: number
  /** Of that entry: by it everything before is known. */
  readonly hash: string
  /** Milliseconds since the epoch. */
  readonly at: number
  /** The totals of the strategies as of that entry, as text; null in marks older than them. */
  readonly totals: string | null
  /** The limits of that day, to distinguish an overrun from a limit that was lowered. */
  readonly limits: string
}

/** The journal as it is compared with the chain. Lists come a page at a time. */
export type JournalBooks = {
  swaps(
    scope: BooksScope,
    page: { readonly after: string; readonly limit: number },
  ): Promise<readonly BookedSwap[]>
  quoteEvents(
    scope: BooksScope,
    page: { readonly after: number; readonly limit: number },
  ): Promise<readonly QuoteEvent[]>
  /** Nonces from one on and below another that there are signed bytes for, for any swap. */
  nonces(
    scope: BooksScope,
    range: { readonly from: number; readonly to: number },
  ): Promise<ReadonlySet<number>>
  /** Nonces with bytes that may still be mined, and the hashes of those. */
  openNonces(
    scope: BooksScope,
  ): Promise<readonly { readonly nonce: number; readonly hashes: readonly string[] }[]>
  /** Height of the newest block that the books rest on: a node below it has not seen what they record. */
  newestBlock(scope: BooksScope): Promise<number>
  adoption(scope: BooksScope): Promise<Adoption>
  /** The routers that quotes of the chain ever called. */
  routers(scope: BooksScope): Promise<readonly Address[]>
  allowances(scope: BooksScope): Promise<readonly BookedAllowance[]>
  /** The entries that count against the limits now. */
  counted(
    scope: BooksScope,
  ): Promise<{ readonly at: number; readonly taken: readonly LimitEntry[] }>
  /** Totals that limits and budgets are read from, and that differ from the settled swaps of the log. */
  totalDefects(scope: BooksScope): Promise<readonly TotalDefect[]>
  /** Breaks that a person has looked at and released, by their key, with the reason that was given. */
  accepted(scope: BooksScope): Promise<ReadonlyMap<string, string>>
  /** All defects there ever were of the log, or of tables that differ from it. */
  logDefects(scope: BooksScope): Promise<LogDefects>
  /** The same from the mark on, and of what is open: what was before it is known by the mark's hash. */
  recentLogDefects(scope: BooksScope): Promise<LogDefects>
}

/** A total of a strategy that is not the sum of its settled swaps. */
export type TotalDefect = {
  /** Chain, sold token, bought token and strategy. */
  readonly name: string
  readonly booked: string
  readonly counted: string
  /** The same in units of the tokens. */
  readonly shown: { readonly booked: string; readonly counted: string }
}

/** The defects found in the log. */
export type LogDefects = {
  /** The entry behind which it began; 0 for the whole log. */
  readonly after: number
  /** Entries that were in order. */
  readonly entries: number
  readonly head: string
  readonly defects: readonly string[]
}
