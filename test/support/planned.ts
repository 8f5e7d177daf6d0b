import { draft } from '../../src/bot/policy/checkPlan.ts'
import type { Appraise, Plan, Planned, Spent } from '../../src/bot/stages.ts'
import type { Config } from '../../src/config/config.ts'
import { parseAmount, tokenOf } from '../../src/core/amount.ts'
import { systemClock } from '../../src/core/clock.ts'
import { planOf } from '../../src/engine/planOf.ts'

export type Wish = { readonly sell: string; readonly buy: string; readonly floor: string }

/** What a wallet that never swapped has used of its limits. */
export const nothingSpent: Spent = {
  sold: 0n,
  hour: 0n,
  day: 0n,
  strategy: 0n,
  otherUnit: 0,
  lastAt: undefined,
}

/** What a person would type, as a plan that policy allowed. */
export async function planned(
  { config, market }: { readonly config: Config; readonly market: { readonly appraise: Appraise } },
  { sell, buy, floor }: Wish,
  around: Partial<Pick<Plan, 'expirySeconds'>> = {},
): Promise<Planned> {
  const { bySymbol } = config.tokens
  const intent = {
    sell: parseAmount(sell, bySymbol),
    buy: tokenOf(buy, bySymbol),
    floor: parseAmount(floor, bySymbol),
    reason: 'a test',
  }
  const { plan, rules } = await planOf(
    { config, market },
    { strategy: 'test', intent, indication: undefined, ...around },
  )
  return draft(plan, { ...rules, spent: nothingSpent, now: systemClock.now() })
}
