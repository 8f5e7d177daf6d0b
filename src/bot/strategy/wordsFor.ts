import { invertPrice, type Price, showPrice } from '../../core/price.ts'

/** How the prices of one pair are said. */
type Words = {
  /** What the market does with a price: it pays the seller's token, or asks for the buyer's. */
  readonly verb: 'pays' | 'asks'
  readonly show: (price: Price) => string
}

/**
 * The way round in which a person says a price: `3000 USDC per WETH`, whichever of the two is sold.
 * Taken from one price for all of a sentence, so that its numbers can be compared.
 */
export function wordsFor({ sold, bought }: Price): Words {
  const [one, brings] = [10n ** BigInt(sold.token.decimals), 10n ** BigInt(bought.token.decimals)]
  return bought.wei * one >= sold.wei * brings
    ? { verb: 'pays', show: (price) => showPrice(price) }
    : { verb: 'asks', show: (price) => showPrice(invertPrice(price)) }
}
