import type { Hex } from '../chain/calls/fields.ts'
import type { Amount } from '../core/amount.ts'
import type { Address, Token } from '../core/token.ts'

/** The middle of the independent sources at such an instant; or why it is not known, which is never made up. */
export type Mark = {
  /** After the swap's block, or after a wish came to nothing: 0, then up to an hour. */
  readonly afterMs: number
  /** When it was read; milliseconds since the epoch. The chain's sources are those of `block`, whenever that was. */
  readonly readAt: number
  /** The block of the swap; after that, the newest one that was not later than the instant. */
  readonly block: number | undefined
} & (
  | { readonly fair: bigint; readonly sources: readonly string[]; readonly missing?: undefined }
  | { readonly fair?: undefined; readonly missing: string }
)

/** What the best single pool of the references would have paid for the sold amount at the end of a block. */
export type PoolsAlone = {
  readonly when: 'decision' | 'inclusion'
  readonly block: number
} & (
  | { readonly pool: Address; readonly bought: bigint; readonly missing?: undefined }
  | { readonly bought?: undefined; readonly missing: string }
)

/** One leg of a firm quote. `maker` is undefined where a pool fills it. */
export type Leg = {
  readonly maker: Address | undefined
  readonly sell: Address
  readonly sold: bigint
  readonly buy: Address
  readonly bought: bigint
}

/** Who filled a leg on chain, and with how much. A maker's leg that a pool filled was declined when it came to it. */
export type LegFill = {
  readonly by: 'maker' | 'pool'
  readonly address: Address
  readonly sold: bigint
  readonly bought: bigint
}

/** Another transaction of the swap's block that traded in a pool which the swap traded in. */
export type Neighbour = {
  readonly hash: Hex
  readonly pool: Address
  readonly place: 'before' | 'after'
  /** Whether it went the way of the swap. */
  readonly side: 'same' | 'opposite'
}

/** What else happened in the block of a swap to the pools that it went through. */
export type Neighbours = {
  readonly pools: number
  readonly before: number
  readonly after: number
  /** Some pool was traded the swap's way before it, and the other way behind it. */
  readonly suspected: boolean
  /** The nearest of them. */
  readonly nearest: readonly Neighbour[]
}

/** All that was found out after a swap or a refusal; what is absent was not read yet, or does not apply. */
export type Found = {
  readonly marks: readonly Mark[]
  readonly pools?: readonly PoolsAlone[] | undefined
  /** In the order of the legs; undefined where the logs do not tell one from another. */
  readonly fills?: readonly LegFill[] | undefined
  readonly neighbours?: Neighbours | undefined
}

/** One whose aftermath has something left to read. Instants in milliseconds since the epoch. */
export type Awaited = {
  readonly subject: string
  readonly filled: boolean
  readonly at: number
  readonly sell: Amount
  readonly buy: Token
  /** Of a filled swap; without a hash on paper. */
  readonly block: number | undefined
  readonly hash: Hex | undefined
  /** The block of the prices it was decided on. */
  readonly decisionBlock: number | undefined
  readonly dueAt: number
  readonly found: Found
}

/** What came of one look: what is known now, what marks count from, and when the next look is due, if there is one. */
export type Looked = {
  readonly found: Found
  readonly at: number
  readonly nextAt: number | undefined
}
