import { type Flow, flowOver } from './flow.ts'
import type { Graph, GraphEdge, RouteRequest } from './source.ts'

/** Edges that all sell something, their best flow, and its yield after gas. */
export type Selection = {
  readonly active: Uint8Array
  readonly flow: Flow
  readonly net: number
  readonly legs: number
}

type Search = Graph & {
  readonly amount: number
  readonly gasCost: number
  readonly legsMax: number
  readonly least: Float64Array
  readonly solve: ReturnType<typeof flowOver>
  /** Selections by the sets they were sought for. */
  readonly known: Map<string, Selection | undefined>
  flows: number
}

/**
 * Finds selections, each the best around a set of edges.
 *
 * Which edges take part is not a convex question, because gas is paid for each and a maker has a minimum. But prices
 * bound the answer: to lose an edge costs at least what it earns at them, to add one brings at most that. So few
 * changes of a set can pay, and only those are tried.
 */
export function searchSelections(
  graph: Graph,
  { request, legsMax }: { request: RouteRequest; legsMax: number },
): (start: Uint8Array) => Selection | undefined {
  const amount = Number(request.sellWei)
  const search: Search = {
    ...graph,
    amount,
    gasCost: request.gasCost(request.buy),
    legsMax,
    least: Float64Array.from(graph.edges, ({ least }) => least),
    solve: flowOver(graph.edges, { tokens: graph.tokens, amount }),
    known: new Map(),
    flows: 0,
  }
  return (start) => {
    let best = shortened(search, selectionFor(search, { set: withoutShort(search, start) }))
    while (best !== undefined) {
      const better = improved(search, best)
      if (better === undefined) break
      best = better
    }
    return best
  }
}

/** Bounds the time of a search; few need a quarter of it. */
const flowsMax = 60

/** A gain below this share of the yield is not looked for: a thousandth of a basis point. */
const gainShareMin = 1e-7

function improved(search: Search, now: Selection): Selection | undefined {
  const enough = Math.abs(now.net) * gainShareMin
  for (const { set, gain } of changes(search, now)) {
    if (gain < enough) return undefined
    const tried = selectionFor(search, { set, near: now })
    if (tried !== undefined && tried.legs <= search.legsMax && tried.net >= now.net + enough)
      return tried
  }
  return undefined
}

/** The best flow over a set, without edges that sell nothing, clash, or sell in a circle. */
function selectionFor(
  search: Search,
  { set, near }: { set: Uint8Array; near?: Selection },
): Selection | undefined {
  const key = set.join('')
  if (search.known.has(key)) return search.known.get(key)
  const active = Uint8Array.from(set)
  let flow: Flow | undefined
  for (;;) {
    if (search.flows >= flowsMax) return undefined
    search.flows += 1
    flow = search.solve({ active, least: search.least }, near?.flow.prices)
    const drop = flow && unfit(search, active, flow)
    if (drop === undefined) break
    active[drop] = 0
  }
  const selection = flow && selectionOf(search, active, flow)
  search.known.set(key, selection)
  if (selection !== undefined) search.known.set(selection.active.join(''), selection)
  return selection
}

function selectionOf(search: Search, set: Uint8Array, flow: Flow): Selection {
  const active = set.map((taken, index) => (taken === 1 && sells(search, index, flow) ? 1 : 0))
  const legs = numbersIn(active)
  const cost = legs.reduce((sum, index) => {
    const { cost: own, offer, curve } = search.edges[index] as GraphEdge
    if (offer.gasPerPiece === undefined) return sum + own
    const usedUp = curve.filter(({ until }) => Number(until) < (flow.sold[index] as number)).length
    return sum + own + usedUp * Number(offer.gasPerPiece) * search.gasCost
  }, 0)
  return { active, flow, legs: legs.length, net: flow.buy - cost }
}

const numbersIn = (set: Uint8Array) => [...set.keys()].filter((index) => set[index] === 1)

/** An edge with less than this share of the amount takes no part. */
const idleShare = 1e-6

function sells({ edges, amount }: Search, index: number, { sold, prices }: Flow): boolean {
  const { from } = edges[index] as GraphEdge
  const value = (sold[index] as number) * (prices[from] as number)
  return value > idleShare * amount * (prices[0] as number)
}

/** What an edge earns beyond its gas. */
const worth = ({ edges }: Search, { profit }: Flow, index: number) =>
  (profit[index] as number) - (edges[index] as GraphEdge).cost

/** Two that draw on the same thing, or sell against each other. */
function clash({ edges }: Search, a: number, b: number): boolean {
  const [one, other] = [edges[a] as GraphEdge, edges[b] as GraphEdge]
  return (
    one.offer.resource === other.offer.resource || (one.from === other.to && one.to === other.from)
  )
}

/** The least useful of two that clash, or of a circle. */
function unfit(search: Search, active: Uint8Array, flow: Flow): number | undefined {
  const selling = numbersIn(active).filter((index) => sells(search, index, flow))
  const lesser = (a: number, b: number) => (worth(search, flow, a) < worth(search, flow, b) ? a : b)
  for (const a of selling)
    for (const b of selling) if (a < b && clash(search, a, b)) return lesser(a, b)
  let circle = selling
  for (let size = 0; size !== circle.length; ) {
    size = circle.length
    // Who buys what nobody sells, or sells what nobody buys, is in no circle.
    const edges = circle.map((index) => search.edges[index] as GraphEdge)
    circle = circle.filter((_, at) => {
      const { from, to } = edges[at] as GraphEdge
      return edges.some((each) => each.from === to) && edges.some((each) => each.to === from)
    })
  }
  return circle.length === 0 ? undefined : circle.reduce(lesser)
}

/** Without those that would get less than their minimum: a change may add them again. */
function withoutShort(search: Search, start: Uint8Array): Uint8Array {
  if (!search.least.some((each) => each > 0)) return start
  const active = Uint8Array.from(start)
  for (;;) {
    search.flows += 1
    const flow = search.solve({ active })
    const short = numbersIn(active).filter(
      (index) => (flow?.sold[index] ?? 0) < (search.least[index] as number),
    )
    if (flow === undefined || short.length === 0) return active
    for (const index of short) active[index] = 0
  }
}

/** Of the least useful edges this number is tried without. */
const closestMax = 3

const leastUseful = (search: Search, { active, flow }: Selection) =>
  numbersIn(active).sort((a, b) => worth(search, flow, a) - worth(search, flow, b))

/** Fewer and fewer edges, until the router runs them all. */
function shortened(search: Search, long: Selection | undefined): Selection | undefined {
  let best = long
  while (best !== undefined && best.legs > search.legsMax) {
    const now: Selection = best
    best = undefined
    for (const index of leastUseful(search, now).slice(0, closestMax)) {
      const tried = selectionFor(search, {
        set: changed(now.active, { without: [index] }),
        near: now,
      })
      if (tried !== undefined && (best === undefined || tried.net > best.net)) best = tried
    }
  }
  return best
}

function changed(
  set: Uint8Array,
  { without = [], together = [] }: { without?: readonly number[]; together?: readonly number[] },
): Uint8Array {
  const next = Uint8Array.from(set)
  for (const index of without) next[index] = 0
  for (const index of together) next[index] = 1
  return next
}

type Change = {
  readonly set: Uint8Array
  /** It brings no more than this. */
  readonly gain: number
}

/** Sets beside a selection's that may be better, the most promising first. */
function changes(search: Search, now: Selection): readonly Change[] {
  const worthOf = (index: number) => worth(search, now.flow, index)
  return search.edges
    .flatMap((_, index): readonly Change[] => {
      const gain = worthOf(index)
      if (now.active[index] === 0) return gain > 0 ? additions(search, now, index) : []
      return gain < 0 ? [{ set: changed(now.active, { without: [index] }), gain: -gain }] : []
    })
    .sort((a, b) => b.gain - a.gain)
}

/** An edge more: beside the others, in the place of those that sell the same, or of the least useful. */
function additions(search: Search, now: Selection, index: number): readonly Change[] {
  const { edges, tokens, legsMax } = search
  const { from, to } = edges[index] as GraphEdge
  const used = leastUseful(search, now)
  const worthOf = (each: number) => worth(search, now.flow, each)
  // A token that nothing sells yet is sold to everyone; who is not needed is dropped again.
  const isNew = to !== tokens - 1 && !used.some((each) => edges[each]?.from === to)
  const onward = [...edges.keys()].filter(
    (each) =>
      isNew && edges[each]?.from === to && !used.some((other) => clash(search, each, other)),
  )
  const set = changed(now.active, {
    without: used.filter((each) => clash(search, index, each)),
    together: [index, ...onward],
  })
  const gain = worthOf(index)
  const same = used.filter((each) => edges[each]?.from === from)
  const replaced = now.legs === legsMax ? used.slice(0, closestMax).map((each) => [each]) : []
  if (same.length > 1) replaced.push(same)
  return [
    { set, gain },
    ...replaced.map((without) => ({
      set: changed(set, { without }),
      gain: without.reduce((sum, each) => sum - Math.max(0, worthOf(each)), gain),
    })),
  ]
}
