import type { Piece } from '../venues/venue.ts'

/**
 * Two hops as one: what the first brings is sold into the second.
 *
 * m·a / (1 + k·a) into n·b / (1 + l·b) is m·n·a / (1 + (k + l·m)·a), so a chain of stretches is a stretch.
 */
export function composeCurves(first: readonly Piece[], second: readonly Piece[]): readonly Piece[] {
  const composed: Piece[] = []
  let sold = 0
  let [i, j] = [0, 0]
  let [a, b] = [first[0], second[0]]
  while (a !== undefined && b !== undefined) {
    const bought = yields(a)
    // Input after which the second stretch ends; beyond reach when the first ends before.
    const needed =
      a.price > a.curvature * b.size ? b.size / (a.price - a.curvature * b.size) : Infinity
    const size = Math.min(a.size, needed)
    sold += size
    composed.push({
      until: Number.isFinite(sold) ? BigInt(Math.floor(sold)) : beyondAnySupply,
      size,
      price: a.price * b.price,
      curvature: a.curvature + b.curvature * a.price,
    })
    const endsFirst = a.size <= needed
    const endsSecond = needed <= a.size
    a = endsFirst ? first[++i] : from(a, size)
    b = endsSecond ? second[++j] : from(b, bought)
  }
  return composed
}

const beyondAnySupply = 2n ** 256n

const yields = ({ size, price, curvature }: Piece) => (price * size) / (1 + curvature * size)

/** The rest of a stretch after `sold` of it. */
function from(piece: Piece, sold: number): Piece {
  const depth = 1 + piece.curvature * sold
  return {
    until: piece.until,
    size: piece.size - sold,
    price: piece.price / depth ** 2,
    curvature: piece.curvature / depth,
  }
}
