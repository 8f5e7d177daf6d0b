import type { Piece } from '../venues/venue.ts'
import { type Balance, balancePrices, type Used } from './balancePrices.ts'

/** A way from one token to another. Tokens are numbers: 0 is sold, the last one is bought. */
export type Edge = {
  readonly from: number
  readonly to: number
  readonly curve: readonly Piece[]
}

/** Amounts in doubles, by edge, and what one more unit of each token is worth in the bought one. */
export type Flow = {
  readonly sold: Float64Array
  /**
   * What each edge earns at the prices of its tokens: to take it away loses this much at least, to add it brings this
   * much at most.
   */
  readonly profit: Float64Array
  readonly buy: number
  readonly prices: Float64Array
}

/** Which edges take part, and the least that each sells when it does. */
export type Part = { readonly active: Uint8Array; readonly least?: Float64Array }

/**
 * Finds the flow of `amount` over edges that buys the most, as far as a price decides: gas and minimums are not its
 * question.
 *
 * Every curve is concave, so the optimum has one price for each token and every edge sells until its marginal price
 * is the ratio of its two tokens' prices. The prices are where each token's balance is zero: the minimum of a convex
 * function of as many variables as there are tokens, found by Newton's method (Angeris et al., "Optimal Routing for
 * Constant Function Market Makers"). A level has one price and no slope; it gets a small one, less at every stage.
 */
export function flowOver(
  edges: readonly Edge[],
  { tokens, amount }: { tokens: number; amount: number },
) {
  const curves = edges.map(({ curve }) => curve.filter(({ size }) => size > 0))
  const stages = slopes.map((slope) => curves.map((curve) => stretchesOf(curve, slope)))
  const spot = spotPrices(edges, tokens)

  /** Undefined: these edges do not take the amount. `near` are the prices of a similar flow. */
  return ({ active, least }: Part, near?: Float64Array): Flow | undefined => {
    const state: State = {
      sold: new Float64Array(edges.length),
      profit: new Float64Array(edges.length),
      slope: new Float64Array(edges.length),
      left: new Float64Array(tokens),
      prices: Float64Array.from(near ?? spot),
    }
    const used = connected(edges, { active, tokens })
    for (const stretches of near === undefined ? stages : stages.slice(nearStage)) {
      const at = (prices: Float64Array) => look(state, { used, stretches, least, amount, prices })
      if (!balancePrices(state, { used, amount, look: at })) return undefined
    }
    const { sold, profit, prices } = state
    const earned = used.reduce((sum, { index }) => sum + (profit[index] as number), 0)
    const buy = amount * (prices[0] as number) + earned
    // What the others would earn.
    const idle = edges.flatMap(({ from, to }, index) =>
      active[index] === 1 ? [] : [{ index, from, to }],
    )
    const stretches = stages.at(-1) ?? []
    look(
      { ...state, sold: new Float64Array(edges.length) },
      { used: idle, stretches, least, amount, prices },
    )
    return { sold, profit, buy, prices }
  }
}

type State = Balance & { readonly sold: Float64Array; readonly profit: Float64Array }

/** Slopes of a level: the share by which its price falls along it. */
const slopes = [1e-2, 1e-4, 1e-6]
const nearStage = 1

/** Stretches of a curve, four numbers each: size, first price, curvature, last price. */
type Stretches = Float64Array

function stretchesOf(curve: readonly Piece[], slope: number): Stretches {
  const stretches = new Float64Array(4 * curve.length)
  curve.forEach(({ size, price, curvature }, index) => {
    const isLevel = curvature === 0
    const first = isLevel ? price * (1 + slope / 2) : price
    const bend = isLevel ? (Math.sqrt((1 + slope / 2) / (1 - slope / 2)) - 1) / size : curvature
    stretches.set([size, first, bend, first / (1 + bend * size) ** 2], 4 * index)
  })
  return stretches
}

/** What every edge sells at these prices, how much more it would sell, and what that leaves of each token. */
function look(
  { sold, profit, slope, left }: State,
  {
    used,
    stretches,
    least,
    amount,
    prices,
  }: {
    used: readonly Used[]
    stretches: readonly Stretches[]
    least: Float64Array | undefined
    amount: number
    prices: Float64Array
  },
): void {
  left.fill(0)
  left[0] = amount
  for (const { index, from, to } of used) {
    const own = stretches[index] as Stretches
    const [paid, worth] = [prices[from] as number, prices[to] as number]
    const ratio = paid / worth
    const floor = least?.[index] ?? 0
    let sell = 0
    let buy = 0
    let steep = 0
    for (let at = 0; at < own.length; at += 4) {
      const first = own[at + 1] as number
      if (first <= ratio && sell >= floor) break
      const size = own[at] as number
      const bend = own[at + 2] as number
      let share = size
      if ((own[at + 3] as number) < ratio) {
        const root = Math.sqrt(first / ratio)
        share = Math.max(0, (root - 1) / bend)
        if (sell + share < floor) share = Math.min(size, floor - sell)
        else steep = root / (2 * bend * ratio)
      }
      sell += share
      buy += (first * share) / (1 + bend * share)
    }
    sold[index] = sell
    slope[index] = steep
    profit[index] = worth * buy - paid * sell
    left[from] = (left[from] as number) - sell
    left[to] = (left[to] as number) + buy
  }
}

/** Active edges that lie on a way from the token that is sold to the one that is bought. */
function connected(
  edges: readonly Edge[],
  { active, tokens }: { active: Uint8Array; tokens: number },
): Used[] {
  const [reached, leads] = [new Uint8Array(tokens), new Uint8Array(tokens)]
  reached[0] = 1
  leads[tokens - 1] = 1
  for (let round = 1; round < tokens; round += 1)
    edges.forEach(({ from, to }, index) => {
      if (active[index] === 0) return
      if (reached[from] === 1) reached[to] = 1
      if (leads[to] === 1) leads[from] = 1
    })
  return edges.flatMap(({ from, to }, index) =>
    active[index] === 1 && reached[from] === 1 && leads[to] === 1 ? [{ index, from, to }] : [],
  )
}

/** Each token's worth along its best way to the bought one, by the first unit of every edge. */
function spotPrices(edges: readonly Edge[], tokens: number): Float64Array {
  const spot = new Float64Array(tokens).fill(0)
  spot[tokens - 1] = 1
  for (let round = 1; round < tokens; round += 1)
    for (const { from, to, curve } of edges) {
      const worth = (curve[0]?.price ?? 0) * (spot[to] as number)
      if (worth > (spot[from] as number)) spot[from] = worth
    }
  return spot.map((price) => (price > 0 ? price : 1))
}
