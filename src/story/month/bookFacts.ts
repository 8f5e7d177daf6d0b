import type { Valuation } from '../../bot/journal/valuations/valuations.ts'
import type { Move } from '../../bot/journal/wallet/moves.ts'
import type { Amount } from '../../core/amount.ts'
import type { Coin, Token } from '../../core/token.ts'

/** A swap as the books need it. */
export type BookedFill = {
  readonly strategy: string
  /** From its first signature to its end: in between, balances and log may differ. */
  readonly begun: number
  readonly ended: number
  /** The same for each approval in its name that came later, as `revoke` makes them. */
  readonly later: readonly { readonly begun: number; readonly ended: number }[]
  readonly sold: Amount | undefined
  readonly received: Amount | undefined
  /** Of the sold amount in the unit of account, by the quote or because one side is the unit; undefined where neither says. */
  readonly worth: { readonly wei: bigint; readonly by: 'unit' | 'quote' } | undefined
  /** One whole coin in the unit of account, by the quote. */
  readonly coin: bigint | undefined
  /** Parts of its gas, in wei; undefined where they were not written down. */
  readonly tip: bigint | undefined
  readonly base: bigint | undefined
  /** The independent sources of its prices. */
  readonly sources: readonly string[]
}

/** All that the books of a wallet are made of. */
export type BookFacts = {
  readonly unit: Token
  readonly coin: Coin
  /** The first of each hour, oldest first. */
  readonly valuations: readonly Valuation[]
  /** By swap. */
  readonly fills: ReadonlyMap<string, BookedFill>
  /** Without payments: those show in the valuations, whoever noticed them. */
  readonly moves: readonly Move[]
}

/** One entry of the books. Its amounts left and came at one worth. */
export type BookEntry = {
  readonly kind: 'opening' | 'deposit' | 'withdrawal' | 'swap' | 'gas'
  /** Of a deposit or withdrawal: the valuation that shows it; it came to pass after the one before. */
  readonly at: number
  readonly left: Amount | undefined
  /** Undefined of a swap whose proceeds went to another recipient; nothing, by its amount, of one that took and gave nothing. */
  readonly came: Amount | undefined
  /** In the unit of account; undefined where no price is known. */
  readonly worth: bigint | undefined
  readonly by: 'unit' | 'quote' | 'valuation' | undefined
  /** What left was worth so much, and by what, where nothing came for it. */
  readonly lost?: Pick<BookEntry, 'worth' | 'by'>
  /** The log's entry; undefined of what only valuations show. */
  readonly seq: number | undefined
  readonly swap: string | undefined
  readonly strategy: string | undefined
  readonly hash: string | undefined
}
