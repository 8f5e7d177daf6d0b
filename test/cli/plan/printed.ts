import type { LoadedStrategy } from '../../../src/bot/strategy/load.ts'
import type { Config } from '../../../src/config/config.ts'
import { forecastPlan } from '../../../src/forecast/forecastPlan.ts'
import type { Outlook } from '../../../src/forecast/forecastTypes.ts'
import { formatPlan } from '../../../src/forecast/planText.ts'
import { doubtsOfPlan } from '../../../src/forecast/priceBlocks.ts'
import { viewPlan } from '../../../src/forecast/viewPlan.ts'

/** The whole way from what is known to the text. */
export async function printed({
  config,
  outlook,
  strategies,
  until,
}: {
  readonly config: Config
  readonly outlook: Outlook
  readonly strategies: readonly LoadedStrategy[]
  readonly until: number
}) {
  const { forecasts, decisions } = await forecastPlan({
    config,
    strategies,
    outlook,
    until,
    rest: async () => {},
  })
  const doubts = await doubtsOfPlan(config, { outlook, strategies })
  const plan = viewPlan({ config, outlook, forecasts, until, doubts })
  return { plan, decisions, text: formatPlan(plan, { all: false }) }
}
