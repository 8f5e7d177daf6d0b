import type { Block } from '../chain/calls/node.ts'
import { assert } from '../core/assert.ts'
import type { Token } from '../core/token.ts'
import type { Book } from '../service/makers/book.ts'
import { fixedBook } from '../service/makers/fixedBook.ts'
import { followBook } from '../service/makers/followBook.ts'
import type { Prices } from './createPrices.ts'
import type { Deployment } from './deployment.ts'
import type { World } from './world.ts'

/** The books of one maker of a deployed world. */
export function booksOf(
  { books }: World['makers'][number],
  {
    tokens,
    prices,
    deployment,
  }: { tokens: readonly Token[]; prices: Prices | undefined; deployment: Deployment },
): readonly Book[] {
  const token = (symbol: string): Token => {
    const found = tokens.find((each) => each.symbol === symbol)
    assert(found !== undefined, 'the world file names only its own tokens')
    return found
  }
  return books.map(({ pair, minimumInBase, ...rest }) => {
    const [base, quote] = [token(pair[0]), token(pair[1])]
    if (!('follow' in rest)) return fixedBook({ base, quote, minimumInBase, ...rest })
    const priceAt = ({ number }: Block) => {
      const values = prices?.at(number - deployment.block)
      return values && (values.get(base.symbol) ?? 1) / (values.get(quote.symbol) ?? 1)
    }
    return followBook({ base, quote, minimumInBase, follow: rest.follow, priceAt })
  })
}
