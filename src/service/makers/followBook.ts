import type { Block } from '../../chain/calls/getBlock.ts'
import { parseDecimal } from '../../core/decimal.ts'
import type { Token } from '../../core/token.ts'
import type { Book } from './book.ts'
import { priceScale } from './priceScale.ts'

const secondsPerYear = 365 * 24 * 60 * 60

/** How a maker quotes around a price it watches. */
export type Follow = {
  readonly halfSpreadBps: number
  /** Of each level in base, not cumulative. */
  readonly sizes: readonly string[]
  /** Each further level is this much worse. */
  readonly stepBps: number
  /** Annual. */
  readonly volatility: number
}

/**
 * A book around a reference price.
 *
 * Time is part of the price: whoever may take a quote during t years holds an at-the-money option worth about
 * volatility × sqrt(t / 2π), and the half spread charges it. So a shorter expiry yields a better quote.
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
  /** Quote units per base unit. Undefined or not above zero: nothing is offered. */
  priceAt: (block: Block) => number | undefined
}): Book {
  const sizes = follow.sizes.map((size) => parseDecimal(size, base.decimals))
  return {
    base,
    quote,
    minimumWei: parseDecimal(minimumInBase, base.decimals),
    levels({ block, expirySeconds }) {
      const price = priceAt(block)
      if (price === undefined || !Number.isFinite(price) || price <= 0) return { bid: [], ask: [] }
      const time = follow.volatility * Math.sqrt(expirySeconds / secondsPerYear / (2 * Math.PI))
      const side = (direction: 1 | -1) =>
        sizes.flatMap((amount, index) => {
          const half = (follow.halfSpreadBps + index * follow.stepBps) / 10_000 + time
          const scaled = exactPrice(price * (1 + direction * half))
          return scaled > 0n ? [{ amount, price: scaled }] : []
        })
      return { bid: side(-1), ask: side(1) }
    },
  }
}

/** Ten digits of a double, as the exact number those digits write: what is published is what is filled. */
function exactPrice(price: number): bigint {
  if (!(price > 0)) return 0n
  const decimals = Math.min(priceScale, Math.max(0, 9 - Math.floor(Math.log10(price))))
  return parseDecimal(price.toFixed(decimals), priceScale)
}
