import type { IndicativeQuery, IndicativeQuote } from '../../api/indicativeQuote.ts'
import type { Amount } from '../../core/amount.ts'
import { BallastError } from '../../core/errors.ts'
import { type Address, sameAddress, type Token } from '../../core/token.ts'
import type { Indication } from '../strategy/index.ts'

/** The part of the quoting API this stage needs. */
type IndicativeQuotes = {
  indicative(
    ask: Omit<IndicativeQuery, 'amount' | 'amount_wei'> & { readonly amount_wei: string },
  ): Promise<{ readonly value: IndicativeQuote }>
}

/** No price, for a reason that is part of the market and not of its plumbing. */
const noPrice = new Set(['NO_LIQUIDITY', 'PAIR_UNSUPPORTED'])

/**
 * Asks what selling an amount would bring. An answer about other tokens or another amount is refused.
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
  quote: IndicativeQuote,
  { sell, buy }: { readonly sell: Amount; readonly buy: Token },
): void {
  const { sellerToken, buyerToken, sellerTokenAmountWei } = quote
  if (
    sameAddress(sellerToken, sell.token.address) &&
    sameAddress(buyerToken, buy.address) &&
    BigInt(sellerTokenAmountWei) === sell.wei
  )
    return
  throw new BallastError('The quoting service answered another question than was asked.', {
    code: 'QUOTE_MALFORMED',
    remedy: 'requote',
    fault: 'upstream',
    facts: {
      asked: `${sell.wei} of ${sell.token.address} for ${buy.address}`,
      answered: `${sellerTokenAmountWei} of ${sellerToken} for ${buyerToken}`,
    },
  })
}
