import type { Piece } from '../venues/venue.ts'

/**
 * Levels in the order of their prices. A book that lists a better level behind a worse one is still walked as listed,
 * so only both together can be had: they count as one level at their average price.
 */
export function concave(curve: readonly Piece[]): readonly Piece[] {
  const kept: Piece[] = []
  for (let piece of curve) {
    for (;;) {
      const before = kept.at(-1)
      const isBetter =
        before !== undefined &&
        before.curvature === 0 &&
        piece.curvature === 0 &&
        piece.price > before.price
      if (!isBetter) break
      kept.pop()
      const size = before.size + piece.size
      const price = (before.price * before.size + piece.price * piece.size) / size
      piece = { until: piece.until, size, price, curvature: 0 }
    }
    kept.push(piece)
  }
  return kept
}
