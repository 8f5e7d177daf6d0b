import type { Offer } from '../venues/venue.ts'
import { graphRuns } from './graph.ts'
import { bestRun, runOverPaths } from './paths.ts'
import type { NoRoute, Route, RouteRequest } from './source.ts'

/** The router takes no more. */
const legsMax = 8

/**
 * The route that pays the most for all of `sellWei` after gas: a split over direct offers and over the graph of tokens.
 *
 * The graph is searched in doubles and run exactly; the best over direct offers and whole paths stays a candidate, so
 * that the search never costs anything.
 */
export function bestRoute(offers: readonly Offer[], request: RouteRequest): Route | NoRoute {
  const overPaths = runOverPaths(offers, { request, legsMax })
  const start = 'legs' in overPaths ? overPaths.legs.map(({ offer }) => offer) : []
  const overGraph = graphRuns(offers, { request, legsMax, start })
  const best = bestRun([overPaths, ...overGraph], request.gasCost(request.buy))
  if (best !== undefined) return { legs: best.legs, buyWei: best.buyWei }
  return { kind: 'legs' in overPaths ? 'exceeds-depth' : overPaths.kind }
}
