import type { Token } from '../../../src/core/token.ts'
import type { RouteRequest } from '../../../src/service/route/source.ts'
import type { Offer, Piece } from '../../../src/service/venues/venue.ts'

/**
 * Whether any route is better than `net`, in the bought token after gas.
 *
 * Independent of the router: weak duality and branching. At any prices of the tokens no route brings more than the
 * input's worth and what every offer that takes part earns at them, its gas deducted; the least such bound over all
 * prices is found with ellipsoids. Where it is above `net` the search branches: an offer takes part, or does not.
 * Everything that a route may do is in it: shared hops, minimums, gas, one use of each resource, at most eight legs.
 */
export function isBeaten(net: number, offers: readonly Offer[], request: RouteRequest): boolean {
  const graph = graphOf(offers, request)
  if (graph === undefined) return false
  const visit = (state: Int8Array): boolean => {
    const { bound, prices } = leastBound(graph, state, net)
    if (bound <= net) return false
    const next = undecided(graph, state, prices)
    if (next === undefined) return true
    const [taken, left] = [Int8Array.from(state), Int8Array.from(state)]
    left[next] = -1
    taken[next] = 1
    graph.edges.forEach((edge, index) => {
      if (index !== next && clashes(edge, graph.edges[next] as Edge)) taken[index] = -1
    })
    const count = taken.filter((each) => each === 1).length
    return (count <= legsMax && visit(taken)) || visit(left)
  }
  return visit(new Int8Array(graph.edges.length))
}

const legsMax = 8

type Edge = {
  from: number
  to: number
  pieces: readonly Piece[]
  cost: number
  offer: Offer
  least: number
}
type Graph = { edges: readonly Edge[]; unknown: number; amount: number; spot: readonly number[] }

function graphOf(
  offers: readonly Offer[],
  { sell, buy, hubs, sellWei, gasCost }: RouteRequest,
): Graph | undefined {
  const same = (a: Token, b: Token) => a.address === b.address
  const tokens = [sell, ...hubs.filter((hub) => !same(hub, sell) && !same(hub, buy)), buy]
  const last = tokens.length - 1
  const edges = offers.flatMap((offer): Edge[] => {
    const from = tokens.findIndex((token) => same(token, offer.sell))
    const to = tokens.findIndex((token) => same(token, offer.buy))
    if (from < 0 || to < 1 || from === last) return []
    const least = Math.max(
      Number(offer.minimum.sellWei),
      sellFor(offer.curve(), Number(offer.minimum.buyWei)),
    )
    if (least > Number(offer.curve().at(-1)?.until)) return []
    return [
      { from, to, pieces: offer.curve(), cost: Number(offer.gas) * gasCost(buy), offer, least },
    ]
  })
  const spot = tokens.map((_, index): number => (index === last ? 1 : 0))
  for (const _ of tokens)
    for (const { from, to, pieces } of edges)
      spot[from] = Math.max(spot[from] ?? 0, (pieces[0]?.price ?? 0) * (spot[to] ?? 0))
  if (spot[0] === 0) return undefined
  return { edges, unknown: last, amount: Number(sellWei), spot: spot.map((each) => each || 1) }
}

const bought = ({ price, curvature }: Piece, sold: number) =>
  (price * sold) / (1 + curvature * sold)

function sellFor(pieces: readonly Piece[], buy: number): number {
  let [sold, left] = [0, buy]
  for (const piece of pieces) {
    if (left <= 0) break
    if (bought(piece, piece.size) >= left)
      return sold + left / (piece.price - piece.curvature * left)
    left -= bought(piece, piece.size)
    sold += piece.size
  }
  return left > 0 ? Number.POSITIVE_INFINITY : sold
}

/** The sale that earns the most at two prices. */
function bestSale(
  { pieces, least }: Edge,
  paid: number,
  worth: number,
): { sold: number; earned: number } {
  let [sold, buy] = [0, 0]
  for (const piece of pieces) {
    const best =
      piece.curvature === 0
        ? piece.price * worth > paid
          ? piece.size
          : 0
        : Math.min(
            piece.size,
            Math.max(0, (Math.sqrt((piece.price * worth) / paid) - 1) / piece.curvature),
          )
    const share = Math.min(piece.size, Math.max(best, least - sold))
    sold += share
    buy += bought(piece, share)
  }
  return { sold, earned: worth * buy - paid * sold }
}

/** The bound at these prices and one of its subgradients; prices in shares of the spot prices. */
function boundAt({ edges, unknown, amount, spot }: Graph, state: Int8Array, shares: Float64Array) {
  const prices = spot.map((each, index) => (index === unknown ? 1 : each * (shares[index] ?? 0)))
  const gradient = new Float64Array(unknown)
  gradient[0] = amount * (spot[0] ?? 0)
  let bound = amount * (prices[0] ?? 0)
  const each = edges.map((edge, index) => {
    if (state[index] === -1) return { gain: 0, sold: 0, buy: 0 }
    const [paid, worth] = [prices[edge.from] ?? 0, prices[edge.to] ?? 0]
    const { sold, earned } = bestSale(edge, paid, worth)
    return { gain: earned - edge.cost, sold, buy: (earned + paid * sold) / worth }
  })
  const fixed = each.filter((_, index) => state[index] === 1).length
  const chosen = edges
    .map((_, index) => index)
    .filter((index) => state[index] === 0 && (each[index]?.gain ?? 0) > 0)
    .sort((a, b) => (each[b]?.gain ?? 0) - (each[a]?.gain ?? 0))
    .slice(0, legsMax - fixed)
  for (const index of [...chosen, ...edges.keys()].filter(
    (one, at) => at < chosen.length || state[one] === 1,
  )) {
    const { gain, sold, buy } = each[index] as { gain: number; sold: number; buy: number }
    const { from, to } = edges[index] as Edge
    bound += gain
    if (from < unknown) gradient[from] = (gradient[from] ?? 0) - sold * (spot[from] ?? 0)
    if (to < unknown) gradient[to] = (gradient[to] ?? 0) + buy * (spot[to] ?? 0)
  }
  return { bound, gradient, prices }
}

/** The least bound over all prices, or one that is already no better than `net`: the ellipsoid method. */
function leastBound(
  graph: Graph,
  state: Int8Array,
  net: number,
): { bound: number; prices: readonly number[] } {
  const n = graph.unknown
  const centre = new Float64Array(n).fill(0.5)
  // Prices lie between nothing and the spot price: a ball around that cube, and a little more.
  let shape = Array.from({ length: n }, (_, row) =>
    Float64Array.from({ length: n }, (__, column) => (row === column ? n * 0.3 : 0)),
  )
  let best = { bound: Number.POSITIVE_INFINITY, prices: graph.spot as readonly number[] }
  for (let step = 0; step < 300 * n; step += 1) {
    const below = centre.findIndex((each) => each <= 0)
    let gradient: Float64Array = new Float64Array(n)
    if (below >= 0) gradient[below] = -1
    else {
      const at = boundAt(graph, state, centre)
      if (at.bound < best.bound) best = at
      if (best.bound <= net) return best
      gradient = at.gradient
    }
    const turned = shape.map((row) =>
      row.reduce((sum, each, column) => sum + each * (gradient[column] ?? 0), 0),
    )
    const length = Math.sqrt(
      turned.reduce((sum, each, row) => sum + each * (gradient[row] ?? 0), 0),
    )
    if (!(length > 1e-12 * best.bound) && below < 0) return best
    const move = turned.map((each) => each / length)
    if (n === 1) {
      centre[0] = (centre[0] ?? 0) - (move[0] ?? 0) / 2
      shape = [Float64Array.of((shape[0]?.[0] ?? 0) / 4)]
      continue
    }
    move.forEach((each, row) => {
      centre[row] = (centre[row] ?? 0) - each / (n + 1)
    })
    shape = shape.map((row, at) =>
      row.map(
        (each, column) =>
          ((n * n) / (n * n - 1)) * (each - (2 / (n + 1)) * (move[at] ?? 0) * (move[column] ?? 0)),
      ),
    )
  }
  return best
}

const clashes = (a: Edge, b: Edge) =>
  a.offer.resource === b.offer.resource || (a.from === b.to && a.to === b.from)

/** The open question that matters most: of offers that clash first, then the closest to its gas. */
function undecided(
  { edges }: Graph,
  state: Int8Array,
  prices: readonly number[],
): number | undefined {
  const open = edges.flatMap((edge, index) => {
    if (state[index] !== 0) return []
    const { earned } = bestSale(edge, prices[edge.from] ?? 0, prices[edge.to] ?? 0)
    const gain = earned - edge.cost
    const isContested =
      gain > 0 && edges.some((other, at) => at !== index && state[at] === 0 && clashes(edge, other))
    return [{ index, isContested, distance: Math.abs(gain) }]
  })
  return open.sort(
    (a, b) => Number(b.isContested) - Number(a.isContested) || a.distance - b.distance,
  )[0]?.index
}
