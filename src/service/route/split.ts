import { chooseSources } from './chooseSources.ts'
import type { NoRun, Run, Source } from './source.ts'
import { allocate, type Terms, turnsOf } from './sweep.ts'

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
  // A venue with a minimum would take more; "too much" is the answer only when no venue would.
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

/** Distances of the best whole units from the doubles' result. */
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
