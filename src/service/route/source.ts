import type { Offer, Piece, VenueFill } from '../venues/venue.ts'

/** A sale to one offer. */
export type RouteLeg = { readonly offer: Offer; readonly sellWei: bigint; readonly buyWei: bigint }

/** An amount sold exactly: the legs in the order they settle, and the gas they add. */
export type Run = {
  readonly kind: 'run'
  readonly legs: readonly RouteLeg[]
  readonly buyWei: bigint
  readonly gas: bigint
}

/** Why an amount cannot be sold. */
export type NoRun = { readonly kind: Exclude<VenueFill['kind'], 'filled'> }

/** A way from one token to another: an offer, or a path of several. */
export type Source = {
  /** Ties are broken by it. */
  readonly id: string
  readonly isPath: boolean
  readonly curve: readonly Piece[]
  readonly minimum: Offer['minimum']
  readonly gas: bigint
  readonly resources: readonly string[]
  /** Exact; everything else here is for the search. */
  run(sellWei: bigint): Run | NoRun
}
