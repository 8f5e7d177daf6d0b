import type { PrivateKeyAccount } from 'viem/accounts'
import type { OrderPair } from '../../api/orderbook.ts'
import type { BlockId, Hex } from '../../chain/calls/fields.ts'
import type { Block } from '../../chain/calls/getBlock.ts'
import type { RpcCall, RpcOutcome } from '../../chain/rpc/rpc.ts'
import type { Token } from '../../core/token.ts'

/** Somewhere tokens are sold: a pool or a maker. A port: the routes know nothing else of it. */
export type Venue = {
  /** Stable; the `source` of a firm quote. */
  readonly id: string
  /** Every token it may ever trade, for telling an unknown pair from an empty book. */
  readonly pairs: readonly (readonly [Token, Token])[]
  /** What it must know of the chain; asked once per block, in one batch with all others, pinned to that block. */
  reads(block: BlockId): readonly RpcCall<unknown>[]
  /** Its state at that block, from the answers in the order of {@link reads}. Undefined: it does not trade now. */
  at(block: Block, answers: readonly RpcOutcome<unknown>[]): VenueState | undefined
}

/** A venue at one block. The time a quote must hold is part of its price. */
export type VenueState = {
  offers(expirySeconds: number): readonly Offer[]
  /** What it publishes in the order book. */
  rows(expirySeconds: number): readonly OrderPair[]
}

/** One direction of one venue at one block: pure, so that indicative and firm quotes cannot differ. */
export type Offer = {
  readonly source: string
  readonly sell: Token
  readonly buy: Token
  fill(sellWei: bigint): Fill
  /** Part of the input that the venue's owners keep, in basis points; for display. */
  readonly feeBps: number
  readonly settlement: LegSettlement
}

/** What selling an amount brings; never extrapolated beyond what is offered. */
export type Fill =
  | { readonly kind: 'filled'; readonly buyWei: bigint }
  | { readonly kind: 'below-minimum' }
  | { readonly kind: 'exceeds-depth' }

/** How a leg settles: a maker signs its order; a pool leg names the pool to the executor. */
export type LegSettlement =
  | { readonly kind: 'maker'; readonly account: PrivateKeyAccount }
  | { readonly kind: 'amm'; readonly executorData: Hex }
