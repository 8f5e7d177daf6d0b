import type { BreakerLimits } from '../../../src/bot/lock/breakers.ts'

/** What an empty `breakers` section means, with a limit for gas. */
export const limits: BreakerLimits = {
  refusals: { count: 5, overMs: 300_000, lockMs: 900_000 },
  failures: { count: 3, lockMs: 3_600_000 },
  priceJump: { bps: 500, withinMs: 600_000, lockMs: 300_000 },
  priceDrift: { bps: 3_000, lockMs: 3_600_000 },
  witness: { lockMs: 600_000 },
  clock: { aheadMs: 15_000, overMs: 300_000, serviceMs: 10_000, lockMs: 300_000 },
  gasPerDayMax: 10n ** 17n,
}
