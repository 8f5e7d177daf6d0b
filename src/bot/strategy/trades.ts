import { maxOf, minOf } from './amounts.ts'

/** One asset of a portfolio, all in one unit: what it is worth, where it is to be, and how far from there it may stay. */
type AssetPosition = {
  readonly value: bigint
  readonly low: bigint
  readonly target: bigint
  readonly high: bigint
  /** The part of the value that came in lately: sold before anything else is, where something has to be. */
  readonly fresh?: bigint | undefined
}

/**
 * The gain of each asset, a loss where negative, so that all end between low and high. The sum is zero.
 *
 * The least turnover there is: assets outside go to the nearest edge, and the shorter of the two sides is completed
 * from assets with slack, furthest from target first. So the sold amount is max(forced sells, forced buys).
 */
export function planTrades(positions: readonly AssetPosition[]): readonly bigint[] {
  const forced = positions.map(({ value, low, high }) => {
    if (value > high) return high - value
    return value < low ? low - value : 0n
  })
  const missing = -forced.reduce((sum, delta) => sum + delta, 0n)
  if (missing === 0n) return forced
  const [sign, limits] = missing > 0n ? ([1n, buying] as const) : ([-1n, selling] as const)

  const deltas = [...forced]
  let left = sign * missing
  for (const limit of limits) {
    const rooms = positions.map((position, index) => {
      const room = sign * (limit(position) - position.value - (deltas[index] ?? 0n))
      return { index, room: maxOf(0n, room) }
    })
    for (const { index, room } of rooms.sort((a, b) => descending(a.room, b.room))) {
      const part = minOf(room, left)
      deltas[index] = (deltas[index] ?? 0n) + sign * part
      left -= part
    }
  }
  // Only where low and high leave no room at all: targets that do not make up the whole.
  if (left > 0n) deltas[0] = (deltas[0] ?? 0n) + sign * left
  return deltas
}

type Limit = (position: AssetPosition) => bigint

const toTarget: Limit = ({ target }) => target
const buying: readonly Limit[] = [toTarget, ({ high }) => high]
const selling: readonly Limit[] = [
  ({ value, low, fresh = 0n }) => maxOf(value - fresh, low),
  toTarget,
  ({ low }) => low,
]

/** A transfer from one asset into another, by their places in the list; in the unit the list is in. */
export type Transfer = { readonly from: number; readonly to: number; readonly value: bigint }

/** Between which assets a swap is possible. Through the hub it always is. */
type Ways = {
  readonly hub: number
  readonly direct: (from: number, to: number) => boolean
  /** The rest that may be left over where it saves a swap. */
  readonly tolerance: bigint
}

/** All ways to group that many are tried: 3^12 / 3 is a millisecond or two. Beyond it, all are one group. */
const exactMax = 12

/**
 * Few swaps that do what a plan wants: its gains and losses, which make up zero.
 *
 * Where every pair trades there is no way with fewer: as many swaps as assets, less one for each group that settles
 * within itself. Never more than the assets less one: a direct swap finishes one of its two assets, and whatever is left
 * takes one swap with the hub.
 */
export function matchTrades(deltas: readonly bigint[], ways: Ways): readonly Transfer[] {
  const moving = deltas
    .map((delta, index) => ({ delta, index }))
    .filter(({ delta }) => delta !== 0n)
  return groupsOf(moving, ways.tolerance).flatMap((group) => settle(group, ways))
}

type Entry = { readonly delta: bigint; readonly index: number }

/** The largest number of groups of which each makes up zero, but for the tolerance. */
function groupsOf(entries: readonly Entry[], tolerance: bigint): readonly (readonly Entry[])[] {
  if (entries.length > exactMax) return [entries]
  const all = 2 ** entries.length - 1
  const sums = [0n]
  for (let set = 1; set <= all; set++) {
    const last = 31 - Math.clz32(set)
    sums.push((sums[set - 2 ** last] ?? 0n) + (entries[last]?.delta ?? 0n))
  }
  const settles = sums.map((sum) => (sum < 0n ? -sum : sum) <= tolerance)

  // For each set the most groups it falls into, -1 where it does not, and the group its first asset is in.
  const counts = new Int8Array(all + 1).fill(-1)
  const group = new Int16Array(all + 1)
  counts[0] = 0
  for (let set = 1; set <= all; set++) {
    const first = set & -set
    const others = set ^ first
    for (let some = others; ; some = (some - 1) & others) {
      const rest = counts[others ^ some] ?? -1
      if (settles[some | first] === true && rest >= 0 && rest + 1 > (counts[set] ?? -1)) {
        counts[set] = rest + 1
        group[set] = some | first
      }
      if (some === 0) break
    }
  }
  if ((counts[all] ?? -1) < 0) return [entries]

  const found: Entry[][] = []
  for (let set = all; set > 0; set ^= group[set] ?? set)
    found.push(entries.filter((_, place) => ((group[set] ?? 0) >> place) % 2 === 1))
  return found
}

/** One group: direct swaps from the largest surplus to the largest deficit, then what is left through the hub. */
function settle(entries: readonly Entry[], { hub, direct }: Ways): readonly Transfer[] {
  const left = new Map(entries.map(({ delta, index }) => [index, delta]))
  const others = () => [...left].filter(([index, delta]) => index !== hub && delta !== 0n)
  const transfers: Transfer[] = []
  for (;;) {
    const [next] = others()
      .filter(([, delta]) => delta < 0n)
      .flatMap(([from, surplus]) =>
        others()
          .filter(([to, delta]) => delta > 0n && direct(from, to))
          .map(([to, deficit]) => ({ from, to, surplus: -surplus, deficit })),
      )
      .sort((a, b) => descending(a.surplus, b.surplus) || descending(a.deficit, b.deficit))
    if (next === undefined) break
    const { from, to, surplus, deficit } = next
    const value = minOf(surplus, deficit)
    transfers.push({ from, to, value })
    left.set(from, value - surplus)
    left.set(to, deficit - value)
  }
  return [...transfers, ...throughHub(new Map(others()), { hub, own: left.get(hub) })]
}

/** A group without the hub leaves nothing in it: what does not come back out does not go in. */
function throughHub(
  left: ReadonlyMap<number, bigint>,
  { hub, own = 0n }: { readonly hub: number; readonly own: bigint | undefined },
): readonly Transfer[] {
  const sells = [...left].filter(([, delta]) => delta < 0n)
  const buys = [...left].filter(([, delta]) => delta > 0n)
  const sold = sells.reduce((sum, [, delta]) => sum - delta, 0n)
  const bought = buys.reduce((sum, [, delta]) => sum + delta, 0n)
  // The rest within the tolerance stays where it is.
  const sellable = minOf(sold, bought + maxOf(0n, own))
  const buyable = minOf(bought, sold + maxOf(0n, -own))
  return [
    ...upTo(sellable, sells).map(([from, value]) => ({ from, to: hub, value })),
    ...upTo(buyable, buys).map(([to, value]) => ({ from: hub, to, value })),
  ]
}

/** The largest first, until the sum is reached. */
function upTo(
  sum: bigint,
  entries: readonly (readonly [number, bigint])[],
): readonly (readonly [number, bigint])[] {
  let left = sum
  return entries
    .map(([index, delta]) => [index, delta < 0n ? -delta : delta] as const)
    .sort(([, a], [, b]) => descending(a, b))
    .map(([index, size]) => {
      const part = minOf(size, left)
      left -= part
      return [index, part] as const
    })
    .filter(([, part]) => part > 0n)
}

function descending(a: bigint, b: bigint): number {
  return a > b ? -1 : a < b ? 1 : 0
}
