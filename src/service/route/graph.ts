import { sameToken } from '../../core/token.ts'
import type { Offer } from '../venues/venue.ts'
import { concave, leastOf } from './curves.ts'
import { type Selection, searchSelections } from './selections.ts'
import type { Graph, GraphEdge, RouteRequest, Run } from './source.ts'
import { runInWholeUnits } from './wholeUnits.ts'

/**
 * Runs over the graph of tokens, the best first: hops are shared and split as the prices of their tokens say. None
 * without a hub, and none where the graph does not take the amount. `start` is a set of offers to begin with.
 */
export function graphRuns(
  offers: readonly Offer[],
  { request, legsMax, start }: { request: RouteRequest; legsMax: number; start: readonly Offer[] },
): readonly Run[] {
  const graph = graphOf(offers, request)
  const { edges } = graph
  const hubs = edges.map(({ to }) => to).filter((to) => edges.some(({ from }) => from === to))
  if (hubs.length === 0) return []
  const find = searchSelections(graph, { request, legsMax })
  const setOf = (isIn: (edge: GraphEdge) => boolean) =>
    Uint8Array.from(edges, (edge) => (isIn(edge) ? 1 : 0))
  const beginnings = [
    setOf(() => true),
    setOf(({ offer }) => start.includes(offer)),
    ...[...new Set(hubs)].map((hub) => setOf(({ from, to }) => from !== hub && to !== hub)),
  ]
  const found = new Map<string, Selection>()
  for (const beginning of beginnings) {
    const selection = find(beginning)
    if (selection !== undefined) found.set(selection.active.join(''), selection)
  }
  return [...found.values()]
    .sort((a, b) => b.net - a.net)
    .slice(0, selectionsMax)
    .flatMap((selection) => runInWholeUnits(graph, selection, request.sellWei) ?? [])
}

/** Doubles of nearly equal selections do not decide between them: this number is run exactly. */
const selectionsMax = 3

function graphOf(offers: readonly Offer[], { sell, buy, hubs, gasCost }: RouteRequest): Graph {
  const between = hubs.filter((hub) => !sameToken(hub, sell) && !sameToken(hub, buy))
  const tokens = [sell, ...between, buy]
  const last = tokens.length - 1
  const edges = offers.flatMap((offer): GraphEdge[] => {
    const from = tokens.findIndex((token) => sameToken(token, offer.sell))
    const to = tokens.findIndex((token) => sameToken(token, offer.buy))
    // The sold token is not bought on the way, and the bought one is not sold.
    if (from < 0 || to <= 0 || from === last || from === to) return []
    const curve = concave(offer.curve())
    const least = leastOf(offer)
    // A minimum beyond the depth is never met.
    if (least > Number(curve.at(-1)?.until ?? 0n)) return []
    return [{ from, to, curve, offer, cost: Number(offer.gas) * gasCost(buy), least }]
  })
  // The order in which offers are listed decides nothing.
  edges.sort((a, b) => (a.offer.source < b.offer.source ? -1 : 1))
  return { edges, tokens: tokens.length }
}
