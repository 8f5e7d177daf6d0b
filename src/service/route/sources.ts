import type { Offer, Piece } from '../venues/venue.ts'
import { composeCurves, concave, mergeCurves } from './curves.ts'
import type { RouteLeg, Source } from './source.ts'
import { split } from './split.ts'

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

/** A hop is split over at most this number, because the router runs only eight legs. */
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
      const legs: RouteLeg[] = []
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
