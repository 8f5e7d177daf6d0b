import type { Offer } from '../venues/venue.ts'
import { concave } from './concave.ts'
import type { Source } from './source.ts'

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
