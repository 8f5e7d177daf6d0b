import { sameToken, type Token } from '../../core/token.ts'
import type { Offer } from '../venues/venue.ts'
import { leastOf } from './curves.ts'
import type { Source } from './source.ts'
import { type Sweep, sweep, type Terms, type Turn } from './sweep.ts'

/** Sources that are worth selling to together, and how. */
type Choice = { readonly active: Uint8Array; readonly sweep: Sweep }

/** Up to here every set of sources is tried. */
const everySetMax = 8

/** Doubles of nearly equal sets do not decide between them: this number is run exactly. */
const choicesMax = 3

/**
 * Sets of two or more sources, the best after gas first.
 *
 * Gas is paid per source and a maker's minimum holds per allocation, so which sources take part is not a convex
 * question: few are tried in every combination, of many the least useful is dropped as long as that pays.
 */
export function chooseSources(
  sources: readonly Source[],
  { turns, terms, leastNet }: { turns: readonly Turn[]; terms: Terms; leastNet: number },
): readonly Choice[] {
  const search = {
    turns,
    leastNet,
    amount: Number(terms.sellWei),
    costs: sources.map(({ gas }) => Number(gas) * terms.gasCost),
    sources,
    legsMax: terms.legsMax,
  }
  return sources.length <= everySetMax ? everySet(search) : withoutTheLeast(search)
}

type Search = {
  /** The best single source's yield after gas: a set that leaves less is not worth running. */
  readonly leastNet: number
  readonly turns: readonly Turn[]
  readonly amount: number
  readonly costs: readonly number[]
  readonly sources: readonly Source[]
  readonly legsMax: number
}

function everySet(search: Search): readonly Choice[] {
  const { turns, amount, costs, sources, legsMax } = search
  const count = sources.length
  const conflicts = sources.map(({ resources }) =>
    sources.reduce(
      (mask, other, index) =>
        other.resources.some((each) => resources.includes(each)) ? mask | (1 << index) : mask,
      0,
    ),
  )
  const found: { net: number; mask: number }[] = []
  const active = new Uint8Array(count)
  // More sources never bring less, so what all of them bring bounds every set.
  const bound = sweep(turns, active.fill(1), amount)?.buy
  if (bound === undefined) return []
  let worst = search.leastNet
  for (let mask = 3; mask < 1 << count; mask += 1) {
    let cost = 0
    let size = 0
    let clash = 0
    for (let index = 0; index < count; index += 1) {
      const taken = (mask >> index) & 1
      active[index] = taken
      if (taken === 0) continue
      size += 1
      cost += costs[index] ?? 0
      clash |= (conflicts[index] ?? 0) & mask & ~(1 << index)
    }
    if (size < 2 || size > legsMax || clash !== 0 || bound - cost < worst) continue
    const swept = sweep(turns, active, amount)
    if (swept === undefined || !meetsMinimums(search, active, swept)) continue
    const net = swept.buy - cost
    if (net < worst) continue
    found.push({ net, mask })
    found.sort((a, b) => b.net - a.net || a.mask - b.mask)
    if (found.length > choicesMax) found.pop()
    if (found.length === choicesMax) worst = Math.max(worst, found[choicesMax - 1]?.net ?? worst)
  }
  return found.flatMap(({ mask }) => {
    const chosen = Uint8Array.from(sources, (_, index) => (mask >> index) & 1)
    const swept = sweep(turns, chosen, amount)
    return swept === undefined ? [] : [{ active: chosen, sweep: swept }]
  })
}

function withoutTheLeast(search: Search): readonly Choice[] {
  const { turns, amount, costs, sources, legsMax } = search
  const active = new Uint8Array(sources.length).fill(1)
  dropClashes(sources, active)
  for (;;) {
    const swept = sweep(turns, active, amount)
    if (swept === undefined) return []
    const sold = soldBy(search, active, swept)
    // A source with nothing, or less than it accepts, goes first.
    const idle = sold.findIndex((each, index) => active[index] === 1 && each.sell === 0)
    const short = sources.findIndex(
      (source, index) => active[index] === 1 && isShort(source, sold[index]),
    )
    let drop = idle >= 0 ? idle : short
    if (drop < 0) {
      let least =
        active.reduce((sum, each) => sum + each, 0) > legsMax ? Number.POSITIVE_INFINITY : 0
      for (let index = 0; index < sources.length; index += 1) {
        if (active[index] === 0) continue
        active[index] = 0
        const without = sweep(turns, active, amount)
        active[index] = 1
        if (without === undefined) continue
        const gain = swept.buy - without.buy - (costs[index] ?? 0)
        if (gain < least) {
          least = gain
          drop = index
        }
      }
    }
    if (drop < 0) return [{ active, sweep: swept }]
    active[drop] = 0
    if (active.reduce((sum, each) => sum + each, 0) < 2) return []
  }
}

/** Of sources that draw on the same thing the one with the best first price stays. */
function dropClashes(sources: readonly Source[], active: Uint8Array): void {
  const priceOf = (index: number) => sources[index]?.curve[0]?.price ?? 0
  const used = new Set<string>()
  const order = sources.map((_, index) => index).sort((a, b) => priceOf(b) - priceOf(a) || a - b)
  for (const index of order) {
    const resources = sources[index]?.resources ?? []
    if (resources.some((each) => used.has(each))) active[index] = 0
    else for (const each of resources) used.add(each)
  }
}

function meetsMinimums(search: Search, active: Uint8Array, swept: Sweep): boolean {
  const { sources } = search
  let sold: ReturnType<typeof soldBy> | undefined
  for (let index = 0; index < sources.length; index += 1) {
    const source = sources[index]
    if (active[index] === 0 || source === undefined || !hasMinimum(source)) continue
    sold ??= soldBy(search, active, swept)
    if (isShort(source, sold[index])) return false
  }
  return true
}

const hasMinimum = ({ minimum }: Source) => minimum.sellWei > 0n || minimum.buyWei > 0n

type Sold = { sell: number; buy: number }

function isShort({ minimum }: Source, sold: Sold | undefined): boolean {
  if (sold === undefined) return true
  return sold.sell < Number(minimum.sellWei) || sold.buy < Number(minimum.buyWei)
}

/** Each source's input and yield at a sweep's end, in doubles. */
function soldBy(
  { turns, amount, sources }: Search,
  active: Uint8Array,
  { stop, s }: Sweep,
): Sold[] {
  const sold: Sold[] = sources.map(() => ({ sell: 0, buy: 0 }))
  const add = (index: number, sell: number, buy: number) => {
    const each = sold[index]
    if (each === undefined) return
    each.sell += sell
    each.buy += buy
  }
  for (let index = 0; index < stop; index += 1) {
    const { source, slope, piece } = turns[index] as Turn
    if (active[source] === 0 || slope < 0) continue
    const { price, curvature, size } = piece
    const share = slope === 0 ? size : Math.min(size, (s * Math.sqrt(price) - 1) / curvature)
    add(source, share, (price * share) / (1 + curvature * share))
  }
  const last = turns[stop]
  if (last !== undefined && last.slope === 0) {
    const left = amount - sold.reduce((sum, { sell }) => sum + sell, 0)
    add(last.source, left, left * last.piece.price)
  }
  return sold
}

/** About the gas of a settlement. The currency is worth what it brings behind so much of it: less is dust. */
const settlementGas = 500_000

/**
 * The cost of a unit of gas in smallest units of a token, at the best price of the wrapped currency, through hubs where
 * there is no direct one. 0 where there is none: then gas does not count.
 */
export function gasCosts(
  offers: readonly Offer[],
  { wrapped, hubs, gasPrice }: { wrapped: Token; hubs: readonly Token[]; gasPrice: number },
): (token: Token) => number {
  const sold = gasPrice * settlementGas
  const worth = (token: Token): number => {
    if (sameToken(token, wrapped)) return 1
    const direct = priceAlong(offers, { tokens: [wrapped, token], sold })
    return direct > 0 ? direct : priceFor(offers, { sell: wrapped, buy: token, hubs, sold })
  }
  const known = new Map<string, number>()
  return (token) => {
    const cost = known.get(token.address) ?? gasPrice * worth(token)
    known.set(token.address, cost)
    return cost
  }
}

/**
 * The best price behind the first `sold` units, from one token to another, directly or through hubs, in doubles; 0 where
 * there is none. What an offer has in front of them is too little to price an amount by, however good it looks.
 */
export function priceFor(
  offers: readonly Offer[],
  { sold, ...ends }: Parameters<typeof pathsBetween>[0] & { readonly sold: number },
): number {
  const ways = [[ends.sell, ends.buy], ...pathsBetween(ends)]
  return Math.max(...ways.map((tokens) => priceAlong(offers, { tokens, sold })))
}

function priceAlong(
  offers: readonly Offer[],
  { tokens, sold }: { tokens: readonly Token[]; sold: number },
): number {
  return tokens.slice(1).reduce((product, to, index) => {
    const best = offers
      .filter(({ sell, buy }) => sameToken(sell, tokens[index] ?? to) && sameToken(buy, to))
      .map((offer) => priceBehind(offer, sold * product))
      .filter(Number.isFinite)
      .reduce((highest, price) => Math.max(highest, price), 0)
    return product * best
  }, 1)
}

/** Of the stretch in which so many units end, or an offer's minimum where that is more; on average from its start. */
function priceBehind(offer: Offer, sold: number): number {
  let left = Math.max(sold, leastOf(offer))
  for (const { price, curvature, size } of offer.curve()) {
    if (left <= size) return price / (1 + curvature * left)
    left -= size
  }
  return 0
}

/** Ways from one token to another through one or two different hubs: at most three hops. */
export function pathsBetween({
  sell,
  buy,
  hubs,
}: {
  sell: Token
  buy: Token
  hubs: readonly Token[]
}): readonly (readonly Token[])[] {
  const between = hubs.filter((hub) => !sameToken(hub, sell) && !sameToken(hub, buy))
  return between.flatMap((first) => [
    [sell, first, buy],
    ...between
      .filter((second) => !sameToken(first, second))
      .map((second) => [sell, first, second, buy]),
  ])
}
