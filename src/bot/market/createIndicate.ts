import type { IndicativeClaim, IndicativeQuery } from '../../api/indicativeQuote.ts'
import type { PublishedPair } from '../../api/orderbook.ts'
import { pairRows } from '../../api/pairRows.ts'
import type { Amount } from '../../core/amount.ts'
import { BallastError, ballastError } from '../../core/errors.ts'
import { fractionOf } from '../../core/fractionOf.ts'
import { type Address, sameAddress, type Token } from '../../core/token.ts'
import type { Indication, Level } from '../strategy/index.ts'

/** The part of the quoting API this stage needs. */
type IndicativeQuotes = {
  indicative(
    ask: Omit<IndicativeQuery, 'amount' | 'amount_wei'> & { readonly amount_wei: string },
  ): Promise<{ readonly value: IndicativeClaim }>
}

/** No price, for a reason that is part of the market and not of its plumbing. */
const noPrice = new Set(['NO_LIQUIDITY', 'PAIR_UNSUPPORTED'])

/**
 * Requests the proceeds of selling an amount. An answer about other tokens or another amount is refused.
 *
 * Only the `…Wei` texts count: the numbers beside them are for display.
 */
export function createIndicate({ quotes, chain }: { quotes: IndicativeQuotes; chain: string }) {
  return async function indicate({
    sell,
    buy,
    from,
  }: {
    readonly sell: Amount
    readonly buy: Token
    readonly from: Address
  }): Promise<Indication | undefined> {
    try {
      const { value } = await quotes.indicative({
        chain,
        token_in: sell.token.address,
        token_out: buy.address,
        amount_wei: sell.wei.toString(),
        from_address: from,
      })
      assertAbout(value, { sell, buy })
      if (BigInt(value.buyerTokenAmountWei) === 0n) return undefined
      return {
        sold: sell,
        bought: { token: buy, wei: BigInt(value.buyerTokenAmountWei) },
        route: value.routes,
      }
    } catch (error) {
      if (error instanceof BallastError && noPrice.has(error.code)) return undefined
      throw error
    }
  }
}

function assertAbout(
  quote: IndicativeClaim,
  { sell, buy }: { readonly sell: Amount; readonly buy: Token },
): void {
  const { sellerToken, buyerToken, sellerTokenAmountWei } = quote
  if (
    sameAddress(sellerToken, sell.token.address) &&
    sameAddress(buyerToken, buy.address) &&
    BigInt(sellerTokenAmountWei) === sell.wei
  )
    return
  throw ballastError('QUOTE_MALFORMED', 'The quoting service answered another request than ours.', {
    asked: `${sell.wei} of ${sell.token.address} for ${buy.address}`,
    answered: `${sellerTokenAmountWei} of ${sellerToken} for ${buyerToken}`,
  })
}

/**
 * The published levels of selling one token for another, best first, as exact amounts: what is sold rounds up and what
 * is bought rounds down. The chain's own currency stands as its wrapped token. Empty where the book lacks the pair.
 */
export function bookLevels(
  rows: readonly PublishedPair[],
  { sell, buy, wrapped }: { sell: Token; buy: Token; wrapped: Token },
): readonly Level[] {
  const rowsOf = (side: PublishedPair['side'], base: Token, quote: Token) =>
    pairRows(rows, { base, quote, wrapped }).filter((row) => row.side === side)
  const levelsOf = (row: PublishedPair): Level[] => {
    const straight = row.side === 'bid'
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
  }
  const levels = [...rowsOf('bid', sell, buy), ...rowsOf('ask', buy, sell)].flatMap(levelsOf)
  return levels.sort((a, b) => {
    const difference = b.bought.wei * a.sold.wei - a.bought.wei * b.sold.wei
    return difference > 0n ? 1 : difference < 0n ? -1 : 0
  })
}
