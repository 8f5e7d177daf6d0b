import type { Token } from '../../core/token.ts'
import type { Offer, Piece, VenueFill } from '../venues/venue.ts'
import type { Edge } from './flow.ts'

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

/** The sales and their places. The legs run in this order; those that sell the input add up to it exactly. */
export type Route = { readonly legs: readonly RouteLeg[]; readonly buyWei: bigint }

/** No venue takes the amount, and why the nearest one does not. */
export type NoRoute = { readonly kind: 'no-offer' | NoRun['kind'] }

export type RouteRequest = {
  readonly sell: Token
  readonly buy: Token
  readonly sellWei: bigint
  /** Tokens a route may pass through. */
  readonly hubs: readonly Token[]
  /** The cost of a unit of gas, in smallest units of a token. 0: gas does not count. */
  readonly gasCost: (token: Token) => number
}

/** Tokens as numbers, the sold one first and the bought one last; offers between them as edges. */
export type Graph = {
  readonly edges: readonly GraphEdge[]
  readonly tokens: number
}

export type GraphEdge = Edge & {
  readonly offer: Offer
  /** In the bought token, for its gas. */
  readonly cost: number
  /** The least it sells, by its minimum. */
  readonly least: number
}
