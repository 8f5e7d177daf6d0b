import type { LoadedStrategy } from '../bot/strategy/load.ts'
import type { Config } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'
import { createShared } from '../core/createShared.ts'
import type { OpenMarket } from '../engine/market.ts'
import { makePlan } from '../forecast/foresee.ts'

/** The page loads every few seconds, and a plan asks the market for every strategy. */
const keptMs = 60_000

type Planned = {
  readonly config: Config
  readonly market: OpenMarket
  /** Those that run now. */
  readonly strategies: () => readonly LoadedStrategy[]
  readonly clock: Clock
}

/** Plans of the bot that runs, one a minute for each length. */
export function keepPlans({ config, market, strategies, clock }: Planned) {
  const plans = createShared({
    ask: (spanMs: number) => {
      const now = strategies()
      // The bot goes on with its market after the plan.
      const openMarket = async () => ({ ...market, close: async () => {} })
      return makePlan({ config, strategies: now, shown: now, spanMs, clock, openMarket })
    },
    nameOf: String,
    keptMs,
    clock,
  })
  return async (spanMs: number) => (await plans(spanMs)).value
}
