import { sameToken } from '../core/token.ts'
import type { Ask, Course, PlannedSwap } from './forecastTypes.ts'

/**
 * What a strategy does in two made-up worlds alike, and for the rest that it depends on the market. Figures that were
 * made up are left out.
 */
export function joinCourses(one: Course, other: Course): Course {
  const twins = new Map(other.asks.map((ask) => [ask.at, ask]))
  const instants = [...new Set([...one.asks, ...other.asks].map(({ at }) => at))].sort(
    (a, b) => a - b,
  )
  const own = new Map(one.asks.map((ask) => [ask.at, ask]))
  const asks = instants.map((at): Ask => {
    const [a, b] = [own.get(at), twins.get(at)]
    return a !== undefined && b !== undefined && isAlike(a, b)
      ? common(a, b)
      : { at, kind: 'unknown', reason: '', swaps: [], blocks: [] }
  })
  return { ...one, asks }
}

const isAlike = (one: Ask, other: Ask) =>
  one.kind === other.kind &&
  one.swaps.length === other.swaps.length &&
  one.swaps.every((swap, index) => isOfSame(swap, other.swaps[index]))

const isOfSame = (one: PlannedSwap, other: PlannedSwap | undefined) =>
  other !== undefined &&
  sameToken(one.sell.token, other.sell.token) &&
  one.sell.wei === other.sell.wei &&
  sameToken(one.buy, other.buy)

function common(one: Ask, other: Ask): Ask {
  return {
    ...one,
    reason: one.kind === 'swap' || one.reason !== other.reason ? '' : one.reason,
    swaps: one.swaps.map((swap, index) => {
      const rules = other.swaps[index]?.blocks.map(({ rule }) => rule) ?? []
      const { sell, buy, blocks } = swap
      return {
        sell,
        buy,
        floor: undefined,
        received: undefined,
        atBest: undefined,
        gas: undefined,
        notional: undefined,
        blocks: blocks.filter(({ rule }) => rules.includes(rule)),
      }
    }),
  }
}
