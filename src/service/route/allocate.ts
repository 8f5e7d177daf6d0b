import type { Piece } from '../venues/venue.ts'
import type { Sweep, Turn } from './sweep.ts'

/**
 * A sweep in whole units, by source. They add up to the amount: stretches that are used up count exactly, shares of
 * a stretch are rounded down, and the source whose price falls slowest takes what is left over.
 * Undefined where there is nothing to take it.
 */
export function allocate(
  turns: readonly Turn[],
  { active, amount, sweep: { stop, s } }: { active: Uint8Array; amount: bigint; sweep: Sweep },
): readonly bigint[] | undefined {
  const sold = Array<bigint>(active.length).fill(0n)
  const open = new Map<number, Piece>()
  for (let index = 0; index < stop; index += 1) {
    const { source, slope, piece } = turns[index] as Turn
    if (active[source] === 0) continue
    if (slope > 0) open.set(source, piece)
    else {
      if (piece.until > (sold[source] ?? 0n)) sold[source] = piece.until
      if (open.get(source) === piece) open.delete(source)
    }
  }

  const last = turns[stop]
  // A level that is taken in part takes any amount at one price.
  let absorber =
    last !== undefined && last.slope === 0 && active[last.source] === 1 ? last.source : undefined
  let slowest = 0
  for (const [source, { price, curvature }] of open) {
    const share = Math.floor((s * Math.sqrt(price) - 1) / curvature)
    if (share > 0) sold[source] = (sold[source] ?? 0n) + BigInt(share)
    const slope = Math.sqrt(price) / curvature
    if (last?.slope !== 0 && slope > slowest) {
      slowest = slope
      absorber = source
    }
  }
  const left = amount - sold.reduce((sum, each) => sum + each, 0n)
  if (left === 0n) return sold
  absorber ??= sold.findIndex((each) => each > 0n)
  if (absorber < 0) return undefined
  const taken = (sold[absorber] ?? 0n) + left
  if (taken < 0n) return undefined
  sold[absorber] = taken
  return sold
}
