import type { OrderPair } from '../../api/orderbook.ts'
import type { BlockId, Hex } from '../../chain/calls/fields.ts'
import type { Block } from '../../chain/calls/node.ts'
import type { RpcCall, RpcOutcome } from '../../chain/rpc/rpc.ts'
import type { Unfinished } from '../../chain/uniswapV3/readPool.ts'
import type { Token } from '../../core/token.ts'
import type { MakerDesk } from '../makers/makerDesk.ts'
import type { MakerFigure } from './makerEvents.ts'

/** Somewhere tokens are sold: a pool or a maker. A port: the routes know nothing else of it. */
export type Venue = {
  /** Stable; the `source` of a firm quote. */
  readonly id: string
  /** Every token it may ever trade, to distinguish an unknown pair from an empty book. */
  readonly pairs: readonly (readonly [Token, Token])[]
  /** The chain data it needs; requested once per block, in one batch with all others, pinned to that block. */
  reads(block: BlockId): readonly RpcCall<unknown>[]
  /** Its state at that block, from the answers in the order of {@link reads}. Undefined: it does not trade now. */
  at(
    block: Block,
    answers: readonly RpcOutcome<unknown>[],
  ): VenueState | Unfinished<VenueState> | undefined
  /** True when it calls only contracts of known code, which leave their neighbours in one shared call their gas. */
  readonly sharesCalls?: boolean
  /** Changes whenever what it offers may have changed within a block. Absent: it does not. */
  readonly revision?: () => number
  /** Its counts, for `/metrics`. */
  readonly figures?: () => readonly MakerFigure[]
}

/** A venue at one block. The time a quote must hold is part of its price. */
export type VenueState = {
  /**
   * `among`: only between these tokens, in lower case; a maker may have hundreds of books. Absent: everything.
   * `callers`: cut to their shares of a maker's stock. Absent: all that is free.
   */
  offers(
    expirySeconds: number,
    among?: ReadonlySet<string>,
    callers?: readonly string[],
  ): readonly Offer[]
  /** The rows it publishes in the order book. */
  rows(expirySeconds: number): readonly OrderPair[]
}

/** One direction of one venue at one block: pure, so that indicative and firm quotes cannot differ. */
export type Offer = {
  /** Stable; ties between equal offers are broken by it. */
  readonly source: string
  readonly sell: Token
  readonly buy: Token
  /** Exact integers, as it settles. Everything that is quoted comes from here. */
  fill(sellWei: bigint): VenueFill
  /** The same in doubles, best price first: where a split is searched. Its end is the depth. */
  curve(): readonly Piece[]
  /** The least one allocation must reach, on either side; a smaller one is refused by {@link fill}. */
  readonly minimum: { readonly sellWei: bigint; readonly buyWei: bigint }
  /** The addition of its leg to the settlement, in units of gas. */
  readonly gas: bigint
  /** The addition to that of each piece of the curve that is used up. */
  readonly gasPerPiece?: bigint
  /** The resource it draws on: a pool, or a maker's stock of one token. A route draws on each once. */
  readonly resource: string
  /** Part of the input that the venue's owners keep, in basis points; for display. */
  readonly feeBps: number
  readonly settlement: LegSettlement
}

/**
 * A stretch of an offer along which selling `a` more brings `price × a / (1 + curvature × a)`, in smallest units.
 *
 * Curvature 0 is a maker's level. A constant product of reserves x and y with g = 1 − fee has price g·y/x and
 * curvature g/x; a v3 range is one with its virtual reserves. Two hops in a row are again such a stretch.
 */
export type Piece = {
  /** The amount sold at its end, exactly, from the start of the curve. */
  readonly until: bigint
  /** The amount sold along it; infinite for a pool that never ends. */
  readonly size: number
  /** Of the first unit, the venue's fee included. */
  readonly price: number
  readonly curvature: number
}

/** The yield of selling an amount; never extrapolated beyond the offer. */
export type VenueFill =
  | { readonly kind: 'filled'; readonly buyWei: bigint }
  | { readonly kind: 'below-minimum' }
  | { readonly kind: 'exceeds-depth' }

/** How a leg settles: a maker signs its order; a pool leg names the pool to the executor. */
export type LegSettlement =
  | { readonly kind: 'maker'; readonly desk: MakerDesk }
  | { readonly kind: 'amm'; readonly executorData: Hex }
