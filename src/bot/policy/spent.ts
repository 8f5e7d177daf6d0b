import { dayMs, hourMs } from '../../core/spans.ts'
import { type Coin, sameToken, type Token } from '../../core/token.ts'
import type { CountedSwap } from '../books.ts'
import type { Plan, Spent } from '../stages.ts'

/** How far back the limits look. */
export const limitsWindowMs = dayMs

/**
 * What swaps took of the limits that a plan is held to at `at`. The rule of every world: `counted` are the wallet's
 * other swaps that are open, or were signed within {@link limitsWindowMs} and are not dead; `lastAt` is when the strategy
 * last began a swap between the two assets of {@link cooldownKey}.
 */
export function spentBy(
  plan: Plan,
  {
    counted,
    at,
    lastAt,
  }: {
    readonly counted: readonly CountedSwap[]
    readonly at: number
    readonly lastAt: number | undefined
  },
): Spent {
  const sold = plan.intent.sell.token.address.toLowerCase()
  const unit = plan.notional?.token.address.toLowerCase()
  const sums = { sold: 0n, hour: 0n, day: 0n, strategy: 0n, otherUnit: 0 }
  for (const one of counted) {
    if (one.sellToken.toLowerCase() === sold) sums.sold += one.amountIn
    if (one.unit === undefined || one.unit.toLowerCase() !== unit) {
      sums.otherUnit += 1
      continue
    }
    sums.day += one.notional
    if (one.signedAt === undefined || one.signedAt > at - hourMs) sums.hour += one.notional
    if (one.strategy === plan.strategy) sums.strategy += one.notional
  }
  return { ...sums, lastAt }
}

/**
 * What a cooldown counts by: a strategy and two assets, in either direction. The coin and its wrapped token are one
 * asset: a strategy that alternates between them waits all the same.
 */
export function cooldownKey(
  { strategy, intent: { sell, buy } }: Pick<Plan, 'strategy' | 'intent'>,
  coin: Coin,
): string {
  const nameOf = (token: Token) =>
    (sameToken(token, coin.native) ? coin.wrapped : token).address.toLowerCase()
  return [strategy, ...[nameOf(sell.token), nameOf(buy)].sort()].join(' ')
}
