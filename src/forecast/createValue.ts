import type { Appraisal, Appraise } from '../bot/stages.ts'
import type { Amount } from '../core/amount.ts'
import { worthAt } from '../core/price.ts'

/**
 * Asks the references once for each pair and scales their answer to other amounts: prices stand still in a plan.
 * Rounds down.
 */
export function createValue(appraise: Appraise): Appraise {
  const known = new Map<string, Promise<{ readonly sell: Amount; readonly found: Appraisal }>>()
  return async ({ sell, buy }) => {
    const pair = `${sell.token.address} ${buy.address}`.toLowerCase()
    const asked = known.get(pair) ?? appraise({ sell, buy }).then((found) => ({ sell, found }))
    known.set(pair, asked)
    const first = await asked
    if (first.sell.wei === sell.wei || first.sell.wei === 0n) return first.found
    const scaled = (worth: Amount) => worthAt({ sold: first.sell, bought: worth }, sell)
    const { notional, references } = first.found
    return {
      ...first.found,
      references: references.map((one) => ({ ...one, fair: scaled(one.fair) })),
      notional: notional && scaled(notional),
    }
  }
}
