import type { Appraise } from '../bot/stages.ts'
import type { Config } from '../config/config.ts'
import { isNative, sameToken, type Token } from '../core/token.ts'

/**
 * What the file alone says of a swap's worth: nothing, but whether anything could value it at all. It could where a
 * reference of the token itself, or two that meet, lead to the unit of account.
 */
export function unasked({ policy, tokens }: Config): Appraise {
  const assetOf = (token: Token) => (isNative(token) ? tokens.wrapped : token)
  // The service's own book is its own word, and values nothing.
  const independent = policy.references.filter((one) => one.kind !== 'order-book' || one.url)
  const ends = independent.map(({ pair }) => pair)
  const nextTo = (token: Token) =>
    ends.flatMap(([one, other]) =>
      sameToken(one, token) ? [other] : sameToken(other, token) ? [one] : [],
    )
  return async ({ sell }) => {
    const [from, unit] = [assetOf(sell.token), assetOf(policy.unit)]
    const near = [from, ...nextTo(from)]
    const leads = [...near, ...near.flatMap(nextTo)].some((token) => sameToken(token, unit))
    return {
      askedAt: 0,
      references: [],
      absent: leads
        ? []
        : [
            {
              source: 'policy.references',
              reason: `no reference prices ${from.symbol} in ${unit.symbol}`,
            },
          ],
      notional: undefined,
      coin: undefined,
      pegs: [],
    }
  }
}
