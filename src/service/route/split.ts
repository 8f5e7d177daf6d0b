import type { Piece } from '../venues/venue.ts'
import { chooseSources } from './chooseSources.ts'
import type { NoRun, Run, Source } from './sources.ts'

/** What a split is judged by. */
export type Terms = {
  readonly sellWei: bigint
  /** What a unit of gas costs, in smallest units of the bought token. */
  readonly gasCost: number
  readonly legsMax: number
}

/**
 * Sells an amount to the sources that together pay the most after gas. It does not matter how they are listed.
 *
 * The search is in doubles; what is compared and answered in the end are exact runs, and each source alone is among
 * them, so a split is never worse than the best single source.
 */
export function split(sources: readonly Source[], terms: Terms): Run | NoRun {
  const sorted = [...sources].sort((a, b) => (a.id < b.id ? -1 : 1))
  const alone = sorted.map((source) => source.run(terms.sellWei))
  const runs = alone
    .filter((run) => run.kind === 'run')
    .filter(({ legs }) => legs.length <= terms.legsMax)
  if (sorted.length > 1) {
    const turns = turnsOf(sorted.map(({ curve }) => curve))
    const leastNet = runs.reduce(
      (best, { buyWei, gas }) => Math.max(best, Number(buyWei) - Number(gas) * terms.gasCost),
      Number.NEGATIVE_INFINITY,
    )
    for (const choice of chooseSources(sorted, { turns, terms, leastNet })) {
      const run = runTogether(sorted, { turns, ...choice, terms })
      if (run !== undefined) runs.push(run)
    }
  }
  const [first, ...rest] = runs
  if (first !== undefined)
    return rest.reduce((best, run) => (isBetter(run, best, terms) ? run : best), first)
  // A venue with a minimum would take more; "too much" is the answer only when nobody would.
  const tooSmall = alone.some(({ kind }) => kind === 'below-minimum')
  return { kind: tooSmall ? 'below-minimum' : 'exceeds-depth' }
}

function runTogether(
  sources: readonly Source[],
  {
    turns,
    active,
    sweep,
    terms: { sellWei, legsMax },
  }: ReturnType<typeof chooseSources>[number] & {
    turns: ReturnType<typeof turnsOf>
    terms: Terms
  },
): Run | undefined {
  const rounded = allocate(turns, { active, amount: sellWei, sweep })
  if (rounded === undefined) return undefined
  // A path's rounding is its own: to run it again for a unit costs more than the unit.
  const isPath = rounded.some((amount, index) => amount > 0n && sources[index]?.isPath === true)
  const allocations = isPath
    ? rounded
    : tuneRounding(rounded, (index, amount) => {
        const run = sources[index]?.run(amount)
        return run?.kind === 'run' ? run.buyWei : 0n
      })
  const runs: Run[] = []
  for (const [index, amount] of allocations.entries()) {
    if (amount === 0n) continue
    const run = sources[index]?.run(amount)
    if (run?.kind !== 'run') return undefined
    runs.push(run)
  }
  const legs = runs.flatMap((run) => run.legs)
  if (legs.length > legsMax) return undefined
  return {
    kind: 'run',
    legs,
    buyWei: runs.reduce((sum, { buyWei }) => sum + buyWei, 0n),
    gas: runs.reduce((sum, { gas }) => sum + gas, 0n),
  }
}

/** By what is left after gas, then by fewer legs. The first of equals stays. */
function isBetter(run: Run, best: Run, { gasCost }: Terms): boolean {
  const gain = run.buyWei - best.buyWei - gasWei(run.gas, gasCost) + gasWei(best.gas, gasCost)
  return gain > 0n || (gain === 0n && run.legs.length < best.legs.length)
}

const gasWei = (gas: bigint, gasCost: number) => BigInt(Math.ceil(Number(gas) * gasCost))

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

/** How far the best whole units lie from where the doubles say. */
const reachUnits = [-3n, -2n, -1n, 1n, 2n, 3n]

/**
 * Moves a few units between the two largest allocations while that brings more: each leg rounds down on its own, so
 * of splits that are equal in real numbers some lose a unit less.
 */
function tuneRounding(
  allocations: readonly bigint[],
  yieldOf: (index: number, amount: bigint) => bigint,
): readonly bigint[] {
  const [first, second] = allocations
    .map((amount, index) => ({ amount, index }))
    .filter(({ amount }) => amount > 0n)
    .sort((a, b) => (a.amount === b.amount ? a.index - b.index : a.amount > b.amount ? -1 : 1))
  if (first === undefined || second === undefined) return allocations
  const together = (move: bigint) =>
    yieldOf(first.index, first.amount - move) + yieldOf(second.index, second.amount + move)
  let best = { move: 0n, bought: together(0n) }
  for (const move of reachUnits) {
    if (first.amount <= move || second.amount <= -move) continue
    const bought = together(move)
    if (bought > best.bought) best = { move, bought }
  }
  const tuned = [...allocations]
  tuned[first.index] = first.amount - best.move
  tuned[second.index] = second.amount + best.move
  return tuned
}
