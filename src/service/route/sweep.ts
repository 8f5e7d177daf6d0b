import type { Piece } from '../venues/venue.ts'

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

/** Where a stretch begins, ends, or, when it has one price, lies whole. */
export type Turn = {
  /** 1 / √(marginal price): in it every stretch grows in a straight line. */
  readonly s: number
  readonly slope: number
  readonly jump: number
  readonly source: number
  readonly piece: Piece
}

/** Turns of all sources, the best price first; of equal ones the source that was listed first. */
export function turnsOf(curves: readonly (readonly Piece[])[]): readonly Turn[] {
  const turns: Turn[] = []
  for (let source = 0; source < curves.length; source += 1)
    for (const piece of curves[source] ?? []) {
      const { price, curvature, size } = piece
      const root = Math.sqrt(price)
      const s = 1 / root
      if (curvature === 0) {
        turns.push({ s, slope: 0, jump: size, source, piece })
        continue
      }
      const slope = root / curvature
      turns.push({ s, slope, jump: 0, source, piece })
      turns.push({ s: (1 + curvature * size) * s, slope: -slope, jump: 0, source, piece })
    }
  return turns.sort((a, b) => a.s - b.s || a.source - b.source)
}

/** Where the amount was used up. `stop` is the turn it happened before, or in when that turn is a jump. */
export type Sweep = { readonly stop: number; readonly s: number; readonly buy: number }

/**
 * Sells an amount at the best marginal prices, in one pass.
 *
 * The optimum has one marginal price λ everywhere. In s = 1/√λ what a constant product has sold is a straight line and
 * a level is a jump, so the sum over all sources is a line with jumps, and where it meets the amount is a division.
 * Undefined: the sources end before the amount does.
 */
export function sweep(
  turns: readonly Turn[],
  active: Uint8Array,
  amount: number,
): Sweep | undefined {
  let left = amount
  let buy = 0
  let slope = 0
  let open = 0
  let s = 0
  for (let index = 0; index < turns.length; index += 1) {
    const turn = turns[index] as Turn
    if (active[turn.source] === 0) continue
    if (open > 0) {
      const sold = slope * (turn.s - s)
      if (sold >= left) {
        const end = s + left / slope
        return { stop: index, s: end, buy: buy + left / (s * end) }
      }
      left -= sold
      buy += sold / (s * turn.s)
    }
    s = turn.s
    if (turn.slope === 0) {
      if (turn.jump >= left) return { stop: index, s, buy: buy + left / (s * s) }
      left -= turn.jump
      buy += turn.jump / (s * s)
      continue
    }
    open += turn.slope > 0 ? 1 : -1
    slope = open === 0 ? 0 : slope + turn.slope
  }
  // Doubles may miss the end of the whole depth by their last digits; exact integers decide then.
  return left <= amount * roundingShare ? { stop: turns.length, s, buy } : undefined
}

const roundingShare = 1e-12

/** The terms a split is judged by. */
export type Terms = {
  readonly sellWei: bigint
  /** The cost of a unit of gas, in smallest units of the bought token. */
  readonly gasCost: number
  readonly legsMax: number
}
