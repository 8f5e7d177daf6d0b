import type { Context, Intent } from '../bot/stages.ts'
import type { Price } from '../core/price.ts'
import { sameToken } from '../core/token.ts'

/** The price that a decision saw for its own intent: of the amounts it watched the next larger one, or the largest. */
export function indicationFor(
  { indications }: Pick<Context<unknown>, 'indications'>,
  { sell, buy }: Pick<Intent, 'sell' | 'buy'>,
): Price | undefined {
  return indications
    .filter((one) => one !== undefined)
    .filter((one) => sameToken(one.sold.token, sell.token) && sameToken(one.bought.token, buy))
    .sort((one, other) => (one.sold.wei < other.sold.wei ? -1 : 1))
    .reduce<Price | undefined>(
      (found, one) => (found === undefined || found.sold.wei < sell.wei ? one : found),
      undefined,
    )
}
