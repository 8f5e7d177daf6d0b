import type { PublishedPair } from '../../api/orderbook.ts'
import { RpcRefused } from '../../chain/rpc/rpc.ts'
import { display } from '../../core/display.ts'
import { BallastError } from '../../core/errors.ts'
import type { Price } from '../../core/price.ts'
import type { Address, Token } from '../../core/token.ts'

/** A source of prices that is not the quote. `pair` is what the price is of and what it is in. */
export type Reference = { readonly pair: readonly [Token, Token] } & (
  | {
      readonly kind: 'pool'
      readonly venue: 'uniswap-v2' | 'uniswap-v3'
      readonly address: Address
    }
  | { readonly kind: 'feed'; readonly address: Address; readonly ageMsMax: number }
  | { readonly kind: 'order-book'; readonly book: ReferenceBook; readonly ageMsMax: number }
)

export type Pool = Extract<Reference, { kind: 'pool' }>
export type Feed = Extract<Reference, { kind: 'feed' }>
export type OrderBook = Extract<Reference, { kind: 'order-book' }>

/** A source's price of its pair, the first token sold for the second, or why it gives none. */
export type ReferenceAnswer =
  | {
      readonly price: Price
      /** Milliseconds since the epoch. */
      readonly at: number
    }
  | {
      readonly reason: string
      /** Two nodes gave different prices for one block. */
      readonly disputed?: true
    }

/** The order book of one chain at one service. */
export type ReferenceBook = {
  /** Scheme and host, safe to print. */
  readonly label: string
  /** Of the quoting service itself: its own word, which must agree and proves nothing. */
  readonly own: boolean
  /** `askedAt` is in milliseconds since the epoch. Throws what the service's client throws. */
  read(): Promise<{ readonly rows: readonly PublishedPair[]; readonly askedAt: number }>
}

/** Why a source is silent, on one line. */
export function referenceFailure(error: unknown): string {
  if (error instanceof RpcRefused) return `the call was refused: ${display(error.rpcMessage, 96)}`
  if (!(error instanceof BallastError)) return 'it was not answered'
  const { reason } = error.facts
  return reason === undefined
    ? error.summary
    : `${error.summary.replace(/\.$/, '')}: ${display(String(reason), 96)}`
}
