import type { Token } from '../../core/token.ts'
import type { Piece } from '../venues/venue.ts'
import { type MakerLevel, priceScale } from './levels.ts'

type Side = {
  readonly base: Token
  readonly quote: Token
  readonly side: 'bid' | 'ask'
  readonly levels: readonly MakerLevel[]
}

/** A maker's levels as stretches of one price each. On the ask side quote is sold, and a level's cost is its size. */
export function levelPieces({ base, quote, side, levels }: Side): readonly Piece[] {
  const quotePerBase = 10 ** (quote.decimals - base.decimals - priceScale)
  const unit = 10n ** BigInt(base.decimals + priceScale)
  let based = 0n
  let cost = 0n
  let before = 0n
  return levels.flatMap(({ amount, price }): Piece[] => {
    based += amount
    cost += amount * price * 10n ** BigInt(quote.decimals)
    // The end of an ask falls between two units of quote: the lower one, so that it never lies beyond the depth.
    const until = side === 'bid' ? based : cost / unit
    const size = Number(until - before)
    before = until
    if (size === 0) return []
    const bid = Number(price) * quotePerBase
    return [{ until, size, price: side === 'bid' ? bid : 1 / bid, curvature: 0 }]
  })
}
