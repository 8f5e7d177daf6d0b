import { sameToken, type Token } from '../../core/token.ts'
import type { Offer } from '../venues/venue.ts'
import { pathsBetween } from './chooseSources.ts'
import type { NoRoute, NoRun, RouteRequest, Run, Source } from './source.ts'
import { type Hop, offerSource, pathSource } from './sources.ts'
import { split } from './split.ts'

/** The run that pays the most after gas over direct offers and whole paths, which share nothing. */
export function runOverPaths(
  offers: readonly Offer[],
  { request, legsMax }: { request: RouteRequest; legsMax: number },
): Run | NoRoute {
  const { sell, buy, sellWei, gasCost } = request
  const between = (from: Token, to: Token) =>
    offers
      .filter((offer) => sameToken(offer.sell, from) && sameToken(offer.buy, to))
      .map(offerSource)
  const terms = { sellWei, gasCost: gasCost(buy), legsMax }
  const direct = between(sell, buy)
  const paths = pathsBetween(request).flatMap((tokens) => {
    const hops = tokens.slice(1).map((to, index): Hop => {
      const from = tokens[index] ?? sell
      return { sources: between(from, to), gasCost: gasCost(to) }
    })
    return pathOf(tokens, hops, [])
  })

  if (direct.length === 0 && paths.length === 0) return { kind: 'no-offer' }
  const best = paths
    .map(({ source, ...path }) => ({ ...path, source, run: source.run(sellWei) }))
    .sort((a, b) => byOutput(a.run, b.run) || (a.source.id < b.source.id ? -1 : 1))
    .slice(0, pathsMax)

  // Together with the direct offers a path draws on what those leave, and on nothing another path uses.
  const used = direct.flatMap(({ resources }) => resources)
  const together = [...direct]
  for (const { tokens, hops } of best)
    for (const { source } of pathOf(tokens, hops, used)) {
      together.push(source)
      used.push(...source.resources)
    }

  const joint = split(together.length === 0 ? best.map(({ source }) => source) : together, terms)
  const alone = split(
    best.map(({ source }) => source),
    terms,
  )
  const chosen = bestRun([joint, alone], terms.gasCost)
  if (chosen !== undefined) return chosen
  return joint.kind === 'run' ? { kind: 'exceeds-depth' } : { kind: joint.kind }
}

/** Beyond these a path is a detour of a better one. */
const pathsMax = 3

/** The run that leaves the most after gas; of equals the one with fewer legs. */
export function bestRun(runs: readonly (Run | NoRoute)[], gasCost: number): Run | undefined {
  const net = ({ buyWei, gas }: Run) => buyWei - BigInt(Math.ceil(Number(gas) * gasCost))
  return runs
    .filter((run) => run.kind === 'run')
    .sort((a, b) => {
      const [x, y] = [net(a), net(b)]
      return x === y ? a.legs.length - b.legs.length : x > y ? -1 : 1
    })[0]
}

type Path = {
  readonly tokens: readonly Token[]
  readonly hops: readonly Hop[]
  readonly source: Source
}

/** The path without what is used elsewhere; none when a hop has no source left. */
function pathOf(
  tokens: readonly Token[],
  hops: readonly Hop[],
  used: readonly string[],
): readonly Path[] {
  const taken = new Set(used)
  const left = hops.map(({ sources, gasCost }) => {
    const free = sources.filter(({ resources }) => !resources.some((each) => taken.has(each)))
    for (const { resources } of free) for (const each of resources) taken.add(each)
    return { sources: free, gasCost }
  })
  if (left.some(({ sources }) => sources.length === 0)) return []
  const id = tokens.map(({ address }) => address).join('>')
  return [{ tokens, hops: left, source: pathSource(id, left) }]
}

function byOutput(a: Run | NoRun, b: Run | NoRun): number {
  const [x, y] = [a, b].map((run) => (run.kind === 'run' ? run.buyWei : -1n))
  return x === y || x === undefined || y === undefined ? 0 : x > y ? -1 : 1
}
