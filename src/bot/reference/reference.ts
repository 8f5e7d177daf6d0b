import type { Price } from '../../core/price.ts'
import type { Address, Token } from '../../core/token.ts'
import type { Book } from './bookPrice.ts'

/** A source of prices that is not the quote. `pair` is what the price is of and what it is in. */
export type Reference = { readonly pair: readonly [Token, Token] } & (
  | {
      readonly kind: 'pool'
      readonly venue: 'uniswap-v2' | 'uniswap-v3'
      readonly address: Address
    }
  | { readonly kind: 'feed'; readonly address: Address; readonly ageMsMax: number }
  | { readonly kind: 'order-book'; readonly book: Book; readonly ageMsMax: number }
)

export type Pool = Extract<Reference, { kind: 'pool' }>
export type Feed = Extract<Reference, { kind: 'feed' }>
export type OrderBook = Extract<Reference, { kind: 'order-book' }>

/** What a source says of its pair, the first token sold for the second, or why it says nothing. */
export type Told =
  | {
      readonly price: Price
      /** Milliseconds since the epoch. */
      readonly at: number
    }
  | { readonly reason: string }
