import type { Offer, Piece } from '../venues/venue.ts'
import { turnsOf } from './sweep.ts'

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

/** Several sources as one: what selling into all of them at their common marginal price brings. */
export function mergeCurves(curves: readonly (readonly Piece[])[]): readonly Piece[] {
  const merged: Piece[] = []
  let sold = 0
  const add = (size: number, price: number, curvature: number) => {
    if (!(size > 0)) return
    sold += size
    merged.push({ until: BigInt(Math.floor(sold)), size, price, curvature })
  }
  let slope = 0
  let open = 0
  let s = 0
  for (const turn of turnsOf(curves)) {
    // Together they are a constant product again: its slope is the sum of theirs.
    if (open > 0) add(slope * (turn.s - s), 1 / (s * s), 1 / (s * slope))
    s = turn.s
    if (turn.slope === 0) {
      add(turn.jump, 1 / (s * s), 0)
      continue
    }
    open += turn.slope > 0 ? 1 : -1
    slope = open === 0 ? 0 : slope + turn.slope
  }
  return merged
}

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

/** The sale that meets both sides of a minimum, with what doubles and rounding may lose. */
export function leastOf({ minimum, curve }: Offer): number {
  let [sell, buy] = [0, Number(minimum.buyWei)]
  if (buy > 0)
    for (const { size, price, curvature } of curve()) {
      const whole = (price * size) / (1 + curvature * size)
      const isEnd = whole >= buy
      sell += isEnd ? buy / (price - curvature * buy) : size
      buy -= whole
      if (isEnd) break
    }
  if (buy > 0) return Number.POSITIVE_INFINITY
  return Math.max(Number(minimum.sellWei), sell) * (1 + 1e-6)
}
