import type { OrderPair } from '../../../api/orderbook.ts'
import { parseDecimal } from '../../../core/decimal.ts'
import { sameAddress, type Token } from '../../../core/token.ts'
import { type Levels, type MakerLevel, priceScale } from '../levels.ts'

/** One pair as a foreign maker published it, exact again. */
export type ForeignBook = {
  readonly base: Token
  readonly quote: Token
  readonly minimumWei: bigint
  readonly levels: Levels
}

/**
 * Reads what a maker published about the pairs it may trade. Throws where a row makes no sense: a level that is better
 * than the one before it would be filled out of order, and digits beyond the token's would be lost.
 */
export function readRows(
  rows: readonly OrderPair[],
  pairs: readonly (readonly [Token, Token])[],
): readonly ForeignBook[] {
  return pairs.map(([base, quote]) => {
    const own = rows.filter(
      (row) =>
        sameAddress(row.base_address, base.address) &&
        sameAddress(row.quote_address, quote.address),
    )
    const sideOf = (side: 'bid' | 'ask') => own.filter((row) => row.side === side)
    const levels = {
      bid: sideOf('bid').flatMap((row) => readLevels(row, base)),
      ask: sideOf('ask').flatMap((row) => readLevels(row, base)),
    }
    requireMonotone(levels.bid, (price, before) => price <= before)
    requireMonotone(levels.ask, (price, before) => price >= before)
    const minimum = Math.max(0, ...own.map((row) => row.minimum_in_base))
    return { base, quote, minimumWei: exact(minimum, base.decimals), levels }
  })
}

const readLevels = ({ levels }: OrderPair, base: Token): readonly MakerLevel[] =>
  levels.map(([amount, price]) => ({
    amount: exact(amount, base.decimals),
    price: exact(price, priceScale),
  }))

function requireMonotone(
  levels: readonly MakerLevel[],
  isFine: (price: bigint, before: bigint) => boolean,
): void {
  for (const [index, { price }] of levels.entries()) {
    const before = levels[index - 1]?.price
    if (before !== undefined && !isFine(price, before))
      throw new RangeError('a level is better than the one before it')
  }
}

/** The shortest decimal text of a double is what its sender wrote, as long as that had at most 15 digits. */
function exact(value: number, scale: number): bigint {
  const [digits = '0', exponent = '0'] = String(value).split('e')
  const [whole = '0', fraction = ''] = digits.split('.')
  const shift = Number(exponent)
  if (shift >= 0)
    return parseDecimal(
      plain(whole + fraction.padEnd(shift, '0').slice(0, shift), fraction.slice(shift)),
      scale,
    )
  const all = whole.padStart(1 - shift, '0')
  return parseDecimal(plain(all.slice(0, shift), all.slice(shift) + fraction), scale)
}

function plain(whole: string, fraction: string): string {
  const clean = whole.replace(/^0+(?=\d)/, '')
  return fraction === '' ? clean : `${clean}.${fraction}`
}
