import { sameToken } from '../../core/token.ts'
import type { Selection } from './selections.ts'
import type { Graph, GraphEdge, RouteLeg, Run } from './source.ts'
import { offerSource } from './sources.ts'

/**
 * A selection in whole units: token after token, each sold to the last unit of what was bought of it. Where a token's
 * sellers are full, doubles bring some units more than they take: then less is bought of it.
 */
export function runInWholeUnits(
  graph: Graph,
  selection: Selection,
  sellWei: bigint,
): Run | undefined {
  const depths = graph.edges.map(({ curve }) => curve.at(-1)?.until ?? 0n)
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const run = runWithin(depths, { graph, selection, sellWei })
    if (run.kind === 'run') return run
    if (run.kind === 'refused') return undefined
    for (const { index, sellWei: sold } of run.before) {
      const less = sold - (2n * sold * run.left) / run.bought - 1n
      depths[index] = less < 0n ? 0n : less
    }
  }
  return undefined
}

const attemptsMax = 4

type Leg = RouteLeg & { readonly index: number }

/** More of a token was bought than its sellers take. */
type TooMuch = {
  readonly kind: 'too-much'
  readonly before: readonly Leg[]
  readonly bought: bigint
  readonly left: bigint
}

function runWithin(
  depths: readonly bigint[],
  { graph, selection, sellWei }: { graph: Graph; selection: Selection; sellWei: bigint },
): Run | TooMuch | { readonly kind: 'refused' } {
  const { edges } = graph
  const legs: Leg[] = []
  let gas = 0n
  for (const sellers of byToken(graph, selection.active)) {
    const { offer, from } = edges[sellers[0] ?? 0] as GraphEdge
    const before = legs.filter(({ offer: { buy } }) => sameToken(buy, offer.sell))
    // The first token is sold, and of every other no more than was bought: less than one unit in doubles is none.
    const bought = from === 0 ? sellWei : sumOf(before.map(({ buyWei }) => buyWei))
    if (bought === 0n) continue
    const { shares, left } = sharesOf(
      sellers.map((index) => ({
        sold: selection.flow.sold[index] as number,
        depth: depths[index] ?? 0n,
      })),
      bought,
    )
    if (left > 0n) return { kind: 'too-much', before, bought, left }
    for (const [at, index] of sellers.entries()) {
      const share = shares[at] ?? 0n
      if (share === 0n) continue
      const run = offerSource((edges[index] as GraphEdge).offer).run(share)
      if (run.kind !== 'run') return { kind: 'refused' }
      gas += run.gas
      legs.push(...run.legs.map((leg) => ({ ...leg, index })))
    }
  }
  const last = (edges.find(({ to }) => to === graph.tokens - 1) as GraphEdge).offer.buy
  const bought = legs.filter(({ offer }) => sameToken(offer.buy, last))
  return {
    kind: 'run',
    legs: legs.map(({ offer, sellWei: sold, buyWei }) => ({ offer, sellWei: sold, buyWei })),
    buyWei: sumOf(bought.map(({ buyWei }) => buyWei)),
    gas,
  }
}

const sumOf = (amounts: readonly bigint[]) => amounts.reduce((sum, each) => sum + each, 0n)

/** The sellers of one token after the other: a token's turn comes when nobody who is left buys it. */
function byToken({ edges }: Graph, active: Uint8Array): number[][] {
  let open = edges.flatMap((_, index) => (active[index] === 1 ? [index] : []))
  const turns: number[][] = []
  const fromOf = (index: number) => (edges[index] as GraphEdge).from
  while (open.length > 0) {
    const ready = open.find((index) => !open.some((other) => edges[other]?.to === fromOf(index)))
    // Selections have no circles.
    if (ready === undefined) return []
    turns.push(open.filter((index) => fromOf(index) === fromOf(ready)))
    open = open.filter((index) => fromOf(index) !== fromOf(ready))
  }
  return turns
}

/** An amount in the shares of the doubles, nobody more than its depth; the one with the most room takes the rest. */
function sharesOf(
  sellers: readonly { sold: number; depth: bigint }[],
  amount: bigint,
): { shares: readonly bigint[]; left: bigint } {
  const whole = sellers.reduce((sum, { sold }) => sum + sold, 0)
  const scale = Math.min(1, Number(amount) / whole)
  const shares = sellers.map(({ sold, depth }) => least(BigInt(Math.floor(sold * scale)), depth))
  let left = amount - sumOf(shares)
  const rooms = sellers.map(({ depth }, index) => ({ index, room: depth - (shares[index] ?? 0n) }))
  rooms.sort((a, b) => (a.room === b.room ? a.index - b.index : a.room > b.room ? -1 : 1))
  for (const { index, room } of rooms) {
    const taken = least(left, room)
    shares[index] = (shares[index] ?? 0n) + taken
    left -= taken
  }
  return { shares, left }
}

const least = (a: bigint, b: bigint) => (b < a ? b : a)
