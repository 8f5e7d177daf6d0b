import type { Amount } from '../../core/amount.ts'
import { assert } from '../../core/assert.ts'
import { sameToken } from '../../core/token.ts'

/** The smallest of several amounts of one token; what is undefined bounds nothing. */
export function leastAmount(first: Amount, ...others: readonly (Amount | undefined)[]): Amount {
  return others.reduce<Amount>((least, other) => {
    if (other === undefined) return least
    assert(sameToken(other.token, least.token), 'amounts compare within one token')
    return other.wei < least.wei ? other : least
  }, first)
}
