import { sameToken, type Token } from '../../core/token.ts'
import type { Fill, Offer, Piece } from '../venues/venue.ts'
import { composeCurves, concave, mergeCurves } from './curves.ts'
import { split } from './split.ts'

/** What is sold to whom. */
export type Leg = { readonly offer: Offer; readonly sellWei: bigint; readonly buyWei: bigint }

/** An amount sold exactly: the legs in the order they settle, and the gas they add. */
export type Run = {
  readonly kind: 'run'
  readonly legs: readonly Leg[]
  readonly buyWei: bigint
  readonly gas: bigint
}

/** Why an amount cannot be sold. */
export type NoRun = { readonly kind: Exclude<Fill['kind'], 'filled'> }

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

/** One offer as a source of one leg. */
export function offerSource(offer: Offer): Source {
  const pieces = offer.curve()
  return {
    id: offer.source,
    isPath: false,
    curve: concave(pieces),
    minimum: offer.minimum,
    gas: offer.gas,
    resources: [offer.resource],
    run(sellWei) {
      const fill = offer.fill(sellWei)
      if (fill.kind !== 'filled') return fill
      const { buyWei } = fill
      const { gasPerPiece } = offer
      const usedUp =
        gasPerPiece === undefined ? 0 : pieces.filter(({ until }) => until < sellWei).length
      const gas = offer.gas + (gasPerPiece ?? 0n) * BigInt(usedUp)
      return { kind: 'run', legs: [{ offer, sellWei, buyWei }], buyWei, gas }
    },
  }
}

/** All sources of one hop, and what gas costs in the token it buys. */
export type Hop = { readonly sources: readonly Source[]; readonly gasCost: number }

/** A hop is split over at most so many, because the router runs only eight legs. */
const legsPerHopMax = 2

/** Hops in a row as one source. Each sells exactly what the one before it brings. */
export function pathSource(id: string, hops: readonly Hop[]): Source {
  const gas = hops.reduce((sum, { sources }) => sum + cheapest(sources), 0n)
  return {
    id,
    isPath: true,
    curve: curveOf(hops),
    minimum: { sellWei: 0n, buyWei: 0n },
    gas,
    resources: hops.flatMap(({ sources }) => sources.flatMap(({ resources }) => resources)),
    run(sellWei) {
      const legs: Leg[] = []
      let amount = sellWei
      let spent = 0n
      for (const { sources, gasCost } of hops) {
        const run = split(sources, { sellWei: amount, gasCost, legsMax: legsPerHopMax })
        if (run.kind !== 'run') return run
        legs.push(...run.legs)
        amount = run.buyWei
        spent += run.gas
      }
      return { kind: 'run', legs, buyWei: amount, gas: spent }
    },
  }
}

function curveOf([first, ...rest]: readonly Hop[]): readonly Piece[] {
  const merged = ({ sources }: Hop) => mergeCurves(sources.map(({ curve }) => curve))
  if (first === undefined) return []
  return rest.reduce((curve, hop) => composeCurves(curve, merged(hop)), merged(first))
}

/** At least this much: which of a hop's sources take part is known only once an amount is. */
const cheapest = (sources: readonly Source[]) =>
  sources.map(({ gas }) => gas).sort((a, b) => Number(a - b))[0] ?? 0n

/** Ways from one token to another through one or two different hubs: at most three hops. */
export function pathsBetween({
  sell,
  buy,
  hubs,
}: {
  sell: Token
  buy: Token
  hubs: readonly Token[]
}): readonly (readonly Token[])[] {
  const between = hubs.filter((hub) => !sameToken(hub, sell) && !sameToken(hub, buy))
  return between.flatMap((first) => [
    [sell, first, buy],
    ...between
      .filter((second) => !sameToken(first, second))
      .map((second) => [sell, first, second, buy]),
  ])
}
