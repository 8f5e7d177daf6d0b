import type { Plan, Spent } from '../bot/stages.ts'
import { sameToken } from '../core/token.ts'

/** What a dry run's earlier swaps would have taken of the limits: a live run would have done them first. */
export function withEarlier(
  spent: Spent,
  { plan, earlier, now }: { plan: Plan; earlier: readonly Plan[]; now: number },
): Spent {
  const tokensOf = (one: Plan) => [one.intent.sell.token, one.intent.buy] as const
  const [selling, buying] = tokensOf(plan)
  const ofStrategy = earlier.filter(({ strategy }) => strategy === plan.strategy)
  const again = ofStrategy.some((one) => {
    const [sold, bought] = tokensOf(one)
    return (
      (sameToken(sold, selling) && sameToken(bought, buying)) ||
      (sameToken(sold, buying) && sameToken(bought, selling))
    )
  })
  const worth = (plans: readonly Plan[]) =>
    plans.reduce((sum, { notional }) => sum + (notional?.wei ?? 0n), 0n)
  const sold = earlier
    .filter(({ intent }) => sameToken(intent.sell.token, selling))
    .reduce((sum, { intent }) => sum + intent.sell.wei, 0n)
  return {
    ...spent,
    sold: spent.sold + sold,
    hour: spent.hour + worth(earlier),
    day: spent.day + worth(earlier),
    strategy: spent.strategy + worth(ofStrategy),
    lastAt: again ? now : spent.lastAt,
  }
}
