import type { Block } from '../../chain/calls/node.ts'
import { formatDecimal, parseDecimal } from '../../core/decimal.ts'
import type { Token } from '../../core/token.ts'
import type { LevelBook } from './book.ts'
import { createVolatility } from './createVolatility.ts'
import { priceScale } from './levels.ts'

const secondsPerYear = 365 * 24 * 60 * 60

/** A reference without news for longer shows nothing about now. */
const ageMsMax = 5_000

/** How a maker quotes around a price it watches. */
export type Follow = {
  readonly halfSpreadBps: number
  /** Of each level in base, not cumulative; or the first, each further one twice the one before. */
  readonly sizes: readonly string[] | { readonly first: string; readonly count: number }
  /** Each further level is this much worse. */
  readonly stepBps: number
  /** Annual. */
  readonly volatility: number
  /** The average price of the whole book is this much worse for its size. */
  readonly impactBps?: number | undefined
  /** Nothing is offered while the reference moves more than this, annual. */
  readonly volatilityMax?: number | undefined
  readonly skew?: Skew | undefined
}

/** How a maker leans against what it holds too much of: both sides fall when it is long, and rise when it is short. */
export type Skew = {
  /** At the limit. */
  readonly bps: number
  /** In base: what the maker wants to hold. */
  readonly target: string
  /** In base: as far from the target as the skew grows. */
  readonly limit: string
}

/** A price another party makes, in quote units per base unit. */
export type BookReference = {
  readonly price: number
  /** Since it was last known to be right. */
  readonly ageMs: number
}

/**
 * A book around a reference price.
 *
 * Time is part of the price: a caller who may take a quote during t years holds an at-the-money option worth about
 * volatility × sqrt(t / 2π), and the half spread charges it. So a shorter expiry yields a better quote.
 *
 * Prices are marginal: with an average price that falls by `impact × Q / total`, the stretch from P to Q costs `impact
 * × (P + Q) / total`.
 */
export function followBook({
  base,
  quote,
  follow,
  minimumInBase,
  priceAt,
}: {
  base: Token
  quote: Token
  follow: Follow
  minimumInBase: string
  /** A bare number is the price of that very block. Undefined or not above zero: nothing is offered. */
  priceAt: (block: Block) => number | BookReference | undefined
}): LevelBook {
  const sizes = sizesOf(follow.sizes, base)
  const impacts = impactsOf(sizes, follow.impactBps ?? 0)
  const measured =
    follow.volatilityMax === undefined
      ? undefined
      : createVolatility({ expected: follow.volatility })
  return {
    base,
    quote,
    minimumWei: parseDecimal(minimumInBase, base.decimals),
    levels({ block, expirySeconds, held }) {
      const reference = priceAt(block)
      const { price, ageMs } =
        typeof reference === 'object' ? reference : { price: reference, ageMs: 0 }
      if (price === undefined || !Number.isFinite(price) || price <= 0) return nothing
      if (ageMs > ageMsMax) return nothing
      const seen = measured?.at(block, price) ?? 0
      if (follow.volatilityMax !== undefined && seen > follow.volatilityMax) return nothing

      const volatility = Math.max(follow.volatility, seen)
      const time = volatility * Math.sqrt(expirySeconds / secondsPerYear / (2 * Math.PI))
      const lean = follow.skew === undefined ? 0 : leanOf(follow.skew, { base, inBase: held(base) })
      if (lean === undefined) return nothing
      const side = (direction: 1 | -1) =>
        sizes.flatMap((amount, index) => {
          const own = follow.halfSpreadBps + index * follow.stepBps + (impacts[index] ?? 0)
          const scaled = exactPrice(price * (1 + direction * (own / 10_000 + time) - lean))
          return scaled > 0n ? [{ amount, price: scaled }] : []
        })
      return { bid: side(-1), ask: side(1) }
    },
  }
}

const nothing = { bid: [], ask: [] }

function sizesOf(sizes: Follow['sizes'], base: Token): readonly bigint[] {
  if (!('first' in sizes)) return sizes.map((size) => parseDecimal(size, base.decimals))
  const first = parseDecimal(sizes.first, base.decimals)
  return Array.from({ length: sizes.count }, (_, index) => first * 2n ** BigInt(index))
}

/** The cost of each level for its place in the book, in basis points. */
function impactsOf(sizes: readonly bigint[], impactBps: number): readonly number[] {
  const total = Number(sizes.reduce((sum, size) => sum + size, 0n))
  let before = 0
  return sizes.map((size) => {
    const after = before + Number(size)
    const impact = (impactBps * (before + after)) / total
    before = after
    return impact
  })
}

/**
 * From the maker's holdings, promised or not: prices that moved with every promise could be pushed around by requests
 * for firm quotes that are never taken. Undefined where they could not be read: nothing held would move both prices.
 */
function leanOf(
  { bps, target, limit }: Skew,
  { base, inBase }: { base: Token; inBase: bigint | undefined },
): number | undefined {
  if (inBase === undefined) return undefined
  const excess = Number(formatDecimal(inBase, base.decimals)) - Number(target)
  return (Math.max(-1, Math.min(1, excess / Number(limit))) * bps) / 10_000
}

/** Ten digits of a double, as the exact number those digits write: what is published is what is filled. */
function exactPrice(price: number): bigint {
  if (!(price > 0)) return 0n
  const decimals = Math.min(priceScale, Math.max(0, 9 - Math.floor(Math.log10(price))))
  return parseDecimal(price.toFixed(decimals), priceScale)
}
