import { assert } from '../../core/assert.ts'
import type { Price } from '../../core/price.ts'

/** The rate that pays so many basis points more, or less where they are negative. Exact: the amounts grow instead. */
export function shiftPrice({ sold, bought }: Price, bps: number): Price {
  assert(Number.isInteger(bps) && bps >= -10_000, 'a price pays no less than nothing')
  return {
    sold: { token: sold.token, wei: sold.wei * 10_000n },
    bought: { token: bought.token, wei: bought.wei * BigInt(10_000 + bps) },
  }
}
