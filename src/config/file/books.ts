import { parseDecimal } from '../../core/decimal.ts'
import { BallastError } from '../../core/errors.ts'
import type { Problem } from '../../core/problem.ts'
import type { Token } from '../../core/token.ts'
import { key, list, plain, reject } from './field.ts'

/** Books of prices, as a quoting service and a maker write them. */

/** A JSON number carries fifteen digits: what is published is then exactly what is filled. */
const digitsMax = 15

export const decimal = (example: string) =>
  plain(
    (value) => {
      parseDecimal(value, 77)
      if (value.replace('.', '').replace(/^0+/, '').length > digitsMax)
        reject(`${value.slice(0, 64)} has more than ${digitsMax} digits: round it.`)
    },
    { example, form: `A plain decimal of at most ${digitsMax} digits, in quotes.` },
  )

const level = list(decimal('10'), '["10", "3000"]')
  .length(2, 'is an amount and a price, such as ["10", "3000"].')
  .transform(([amount = '0', price = '0']) => [amount, price] as const)

/** The sides of a book of fixed prices. */
export const sides = {
  bid: key(
    list(level, '[["10", "3000"]]').prefault([]),
    'What the maker buys: amounts of the base with their price, the best first.',
  ),
  ask: key(
    list(level, '[["10", "3010"]]').prefault([]),
    'What the maker sells: amounts of the base with their price, the best first.',
  ),
}

export const minimumInBase = key(
  decimal('0.01').prefault('0'),
  'The least that is filled, in the base.',
)

/** Amounts with more decimals than their token has. */
export function tooFine(
  amounts: readonly { readonly amount: string; readonly path: Problem['path'] }[],
  { decimals }: Pick<Token, 'decimals'>,
): readonly Problem[] {
  return amounts.flatMap(({ amount, path }): readonly Problem[] => {
    try {
      parseDecimal(amount, decimals)
      return []
    } catch (error) {
      if (!(error instanceof BallastError)) throw error
      return [{ path, sentence: error.summary }]
    }
  })
}
