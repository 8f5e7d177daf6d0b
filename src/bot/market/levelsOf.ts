import type { OrderPair } from '../../api/orderbook.ts'
import { fractionOf } from '../../core/fractionOf.ts'
import { isNative, sameAddress, type Token } from '../../core/token.ts'
import type { Level } from '../strategy/index.ts'

/**
 * The published levels of selling one token for another, best first, as exact amounts: what is sold rounds up and what
 * is bought rounds down. The chain's own currency stands as its wrapped token. Empty where the book lacks the pair.
 */
export function levelsOf(
  rows: readonly OrderPair[],
  { sell, buy, wrapped }: { sell: Token; buy: Token; wrapped: Token },
): readonly Level[] {
  const assetOf = (address: string) => (isNative({ address }) ? wrapped.address : address)
  const isPair = (row: OrderPair, base: Token, quote: Token) =>
    sameAddress(assetOf(row.base_address), assetOf(base.address)) &&
    sameAddress(assetOf(row.quote_address), assetOf(quote.address))
  const levels = rows.flatMap((row): Level[] => {
    const straight = row.side === 'bid' && isPair(row, sell, buy)
    if (!straight && !(row.side === 'ask' && isPair(row, buy, sell))) return []
    const [base, quote] = straight ? [sell, buy] : [buy, sell]
    return row.levels.flatMap(([size, price]): Level[] => {
      if (size <= 0 || price <= 0) return []
      const [of, at] = [fractionOf(size), fractionOf(price)]
      const amount = {
        numerator: of.numerator * 10n ** BigInt(base.decimals),
        denominator: of.denominator,
      }
      const worth = {
        numerator: of.numerator * at.numerator * 10n ** BigInt(quote.decimals),
        denominator: of.denominator * at.denominator,
      }
      const [sold, bought] = straight ? [amount, worth] : [worth, amount]
      const level = {
        sold: { token: sell, wei: (sold.numerator + sold.denominator - 1n) / sold.denominator },
        bought: { token: buy, wei: bought.numerator / bought.denominator },
      }
      return level.bought.wei === 0n ? [] : [level]
    })
  })
  return levels.sort((a, b) => {
    const difference = b.bought.wei * a.sold.wei - a.bought.wei * b.sold.wei
    return difference > 0n ? 1 : difference < 0n ? -1 : 0
  })
}
