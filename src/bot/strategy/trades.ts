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

/** A transfer from one asset into another, by their places in the list; in the unit the list is in. */
export type Transfer = { readonly from: number; readonly to: number; readonly value: bigint }

/** Between which assets a swap is possible. Through the hub it always is, and takes two. */
type Ways = {
  readonly hub: number
  readonly direct: (from: number, to: number) => boolean
  /** The rest that a group may leave over where that saves a swap. */
  readonly tolerance: bigint
}

/** All groups of so many are tried, a flow for each. Beyond it, groups are those of the plan that all make as one. */
const exactMax = 8
/** All ways to share so many into groups are tried. Beyond it they are one group. */
const groupedMax = 12

/**
 * The swaps that bring all assets between low and high with the least traded, legs through the hub included: of equal
 * ones those that sell most of what came in lately, then the fewest, then those that end nearest to the targets.
 *
 * A plan is groups that each settle within themselves, and a group is a flow of least cost. No group takes as many swaps
 * as it has assets: a ring of swaps costs the same when it is opened.
 */
export function planTrades(positions: readonly AssetPosition[], ways: Ways): readonly Transfer[] {
  const places = [...positions.keys()]
  if (places.length <= exactMax) return grouped(positions, { places, ways })
  const flow = flowOf(positions, { places, ways })
  const moving = places.filter(
    (place) => place === ways.hub || gainOf(flow.transfers, place) !== 0n,
  )
  return moving.length <= groupedMax
    ? grouped(pinnedBy(positions, flow.transfers), { places: moving, ways })
    : opened(positions, { places, ways }, flow)
}

type Group = { readonly places: readonly number[]; readonly ways: Ways }

/** What a plan is judged by, in this order: each is better when less. */
type Cost = readonly [short: bigint, volume: bigint, kept: bigint, swaps: bigint, distance: bigint]

type Plan = { readonly cost: Cost; readonly flows: readonly (readonly [Group, Flow])[] }

/** The best way to share assets into groups that settle within themselves, by all of their subsets. */
function grouped(
  positions: readonly AssetPosition[],
  { places, ways }: Group,
): readonly Transfer[] {
  const all = 2 ** places.length - 1
  const plans: (Plan | undefined)[] = [{ cost: [0n, 0n, 0n, 0n, 0n], flows: [] }]
  const alone: (Plan | undefined)[] = []
  for (let set = 1; set <= all; set++) {
    const group = { places: places.filter((_, bit) => (set >> bit) % 2 === 1), ways }
    alone[set] = settled(positions, group, set === all)
    const first = set & -set
    const others = set ^ first
    let best: Plan | undefined
    for (let some = others; ; some = (some - 1) & others) {
      const [one, rest] = [alone[some | first], plans[others ^ some]]
      const cost = one && rest && summed(one.cost, rest.cost)
      if (one && rest && cost && (best === undefined || isLess(cost, best.cost)))
        best = { cost, flows: [...one.flows, ...rest.flows] }
      if (some === 0) break
    }
    plans[set] = best
  }
  return (plans[all]?.flows ?? []).flatMap(([group, flow]) => opened(positions, group, flow))
}

/** A group on its own; undefined where it does not settle within itself and is not all there is. */
function settled(
  positions: readonly AssetPosition[],
  group: Group,
  isAll: boolean,
): Plan | undefined {
  const { places, ways } = group
  const sum = (of: (position: AssetPosition) => bigint) =>
    places.reduce((total, place) => total + of(positions[place] ?? nothing), 0n)
  const value = sum((position) => position.value)
  const isOff =
    value > sum(({ high }) => high) + ways.tolerance ||
    value < sum(({ low }) => low) - ways.tolerance
  if (isOff && !isAll) return undefined
  const flow = flowOf(positions, group)
  const short = maxOf(0n, flow.short - ways.tolerance)
  const passes = (place: number) =>
    place !== ways.hub &&
    flow.transfers.some(({ from }) => from === place) &&
    flow.transfers.some(({ to }) => to === place)
  if ((short > 0n || places.some(passes)) && !isAll) return undefined
  const after = places.map((place) => {
    const { value: before, target, fresh = 0n } = positions[place] ?? nothing
    const gain = gainOf(flow.transfers, place)
    const off = before + gain - target
    return { off: maxOf(off, -off), kept: fresh > 0n ? maxOf(0n, fresh + gain) : 0n }
  })
  const kept = after.reduce((total, one) => total + one.kept, 0n)
  const off = after.reduce((total, one) => total + one.off, 0n)
  const cost: Cost = [short, volumeOf(flow.transfers), kept, BigInt(places.length - 1), off]
  return { cost, flows: [[group, flow]] }
}

const nothing: AssetPosition = { value: 0n, low: 0n, target: 0n, high: 0n }

const summed = (a: Cost, b: Cost): Cost => [
  a[0] + b[0],
  a[1] + b[1],
  a[2] + b[2],
  a[3] + b[3],
  a[4] + b[4],
]

function isLess(a: Cost, b: Cost): boolean {
  const place = a.findIndex((part, at) => part !== b[at])
  return place >= 0 && (a[place] ?? 0n) < (b[place] ?? 0n)
}

/** The positions that a plan ends in, with what it moved still to do and nothing left to choose. */
const pinnedBy = (positions: readonly AssetPosition[], transfers: readonly Transfer[]) =>
  positions.map((position, place): AssetPosition => {
    const after = position.value + gainOf(transfers, place)
    return { value: position.value, low: after, target: after, high: after }
  })

const volumeOf = (transfers: readonly Transfer[]): bigint =>
  transfers.reduce((sum, { value }) => sum + value, 0n)

/** What an asset gains by these, a loss where negative. */
export const gainOf = (transfers: readonly Transfer[], place: number): bigint =>
  transfers.reduce(
    (sum, { from, to, value }) => sum + (to === place ? value : 0n) - (from === place ? value : 0n),
    0n,
  )

/** The same gains for the same volume without rings of swaps: each swap is left out that is not needed. */
function opened(
  positions: readonly AssetPosition[],
  { places, ways }: Group,
  flow: Flow,
): readonly Transfer[] {
  const pinned = pinnedBy(positions, flow.transfers)
  let { transfers } = flow
  for (const left of flow.transfers) {
    if (transfers.length < places.length) break
    const rest = transfers.filter(({ from, to }) => from !== left.from || to !== left.to)
    const isOpen = (from: number, to: number) =>
      rest.some((transfer) => transfer.from === from && transfer.to === to)
    const without = flowOf(pinned, { places, ways }, isOpen)
    if (without.short === 0n && volumeOf(without.transfers) === volumeOf(transfers))
      transfers = without.transfers
  }
  return transfers
}

type Flow = {
  readonly transfers: readonly Transfer[]
  /** How far assets are outside low and high still, in all. */
  readonly short: bigint
}

/** A way for value with room for more of it; its reverse takes back what has gone. */
type Arc = {
  readonly from: number
  readonly to: number
  readonly cost: number
  room: bigint
  back?: Arc
}

/**
 * The weight of each aim for one unit of value. A detour passes two assets that sell and two that buy: their distances and
 * what came in lately weigh less than a leg, and all legs less than what is outside. Least of all an asset other than the
 * hub that buys what it sells: the hub does that for the same two legs.
 */
const [passing, nearer, farther, ofFresh, aLeg, forced] = [1, -4, 4, 64, 1_024, -65_536]

/** The cheapest flow from assets that are to sell into those that are to buy: over the fewest legs, all that is outside. */
function flowOf(
  positions: readonly AssetPosition[],
  { places, ways: { hub, direct } }: Group,
  isOpen: (from: number, to: number) => boolean = (from, to) =>
    from === hub || to === hub || direct(from, to),
): Flow {
  // Each asset is two ends, one that sells and one that buys: only the hub passes on what it gets.
  const [source, sink] = [2 * positions.length, 2 * positions.length + 1]
  const buyer = (place: number) => positions.length + place
  const arcs: Arc[] = []
  const open = ({ from, to, cost, room }: Arc): Arc => {
    const arc: Arc = { from, to, cost, room: maxOf(0n, room) }
    arc.back = { from: to, to: from, cost: -cost, room: 0n, back: arc }
    arcs.push(arc, arc.back)
    return arc
  }
  const outside: Arc[] = []
  const legs: Arc[] = []
  const whole = places.reduce((sum, place) => sum + (positions[place]?.value ?? 0n), 0n)
  for (const place of places) {
    const { value, low, target, high, fresh = 0n } = positions[place] ?? nothing
    const sell = (cost: number, from: bigint, until: bigint) =>
      open({ from: source, to: place, cost, room: from - until })
    const buy = (cost: number, from: bigint, until: bigint) =>
      open({ from: buyer(place), to: sink, cost: cost + passing, room: until - from })
    outside.push(sell(forced, value, high), buy(forced, value, low))
    // What came in lately goes first, and of it and of the rest each down to the target before more.
    const [top, old] = [minOf(value, high), maxOf(low, minOf(value, high, value - fresh))]
    sell(nearer - ofFresh, top, maxOf(old, target))
    sell(farther - ofFresh, minOf(top, target), old)
    sell(nearer, old, maxOf(low, target))
    sell(farther, minOf(old, target), low)
    const [bottom, more] = [maxOf(value, low), fresh > 0n ? ofFresh : 0]
    buy(nearer + more, bottom, minOf(target, high))
    buy(farther + more, maxOf(bottom, target), high)
    if (place === hub) open({ from: buyer(hub), to: hub, cost: 0, room: whole })
    for (const to of places)
      if (to !== place && isOpen(place, to))
        legs.push(open({ from: place, to: buyer(to), cost: aLeg, room: whole }))
  }
  while (sendOn(arcs, { source, sink }));
  return {
    transfers: legs.flatMap(({ from, to, back: { room: value } = { room: 0n } }) =>
      value > 0n ? { from, to: to - positions.length, value } : [],
    ),
    short: outside.reduce((sum, { room }) => sum + room, 0n),
  }
}

/** Sends what fits along the cheapest path; false where none is worth it any more. */
function sendOn(
  arcs: readonly Arc[],
  { source, sink }: { readonly source: number; readonly sink: number },
): boolean {
  const costs: number[] = new Array(sink + 1).fill(Number.POSITIVE_INFINITY)
  const last: Arc[] = []
  costs[source] = 0
  for (let isNew = true; isNew; ) {
    isNew = false
    for (const arc of arcs) {
      const cost = (costs[arc.from] ?? 0) + arc.cost
      if (arc.room === 0n || !(cost < (costs[arc.to] ?? 0))) continue
      costs[arc.to] = cost
      last[arc.to] = arc
      isNew = true
    }
  }
  if (!((costs[sink] ?? 0) < 0)) return false
  const path: Arc[] = []
  for (let arc = last[sink]; arc !== undefined; arc = last[arc.from]) path.push(arc)
  const [first = 0n, ...others] = path.map(({ room }) => room)
  const value = minOf(first, ...others)
  for (const arc of path) {
    arc.room -= value
    if (arc.back !== undefined) arc.back.room += value
  }
  return true
}
