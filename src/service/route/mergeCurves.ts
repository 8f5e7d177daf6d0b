import type { Piece } from '../venues/venue.ts'
import { turnsOf } from './sweep.ts'

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
