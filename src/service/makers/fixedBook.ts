import { parseDecimal } from '../../core/decimal.ts'
import type { Token } from '../../core/token.ts'
import type { LevelBook } from './book.ts'
import { type MakerLevel, priceScale } from './levels.ts'

type LevelText = readonly [amount: string, price: string]

/** A book that stands as it is written, whatever the block and the expiry. */
export function fixedBook({
  base,
  quote,
  bid,
  ask,
  minimumInBase,
}: {
  base: Token
  quote: Token
  bid: readonly LevelText[]
  ask: readonly LevelText[]
  minimumInBase: string
}): LevelBook {
  const level = ([amount, price]: LevelText): MakerLevel => ({
    amount: parseDecimal(amount, base.decimals),
    price: parseDecimal(price, priceScale),
  })
  const levels = { bid: bid.map(level), ask: ask.map(level) }
  return {
    base,
    quote,
    minimumWei: parseDecimal(minimumInBase, base.decimals),
    levels: () => levels,
  }
}
