/** How far the best whole units lie from where the doubles say. */
const reachUnits = [-3n, -2n, -1n, 1n, 2n, 3n]

/**
 * Moves a few units between the two largest allocations while that brings more: each leg rounds down on its own, so
 * of splits that are equal in real numbers some lose a unit less.
 */
export function tuneRounding(
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
