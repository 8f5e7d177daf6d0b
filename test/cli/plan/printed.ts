import type { LoadedStrategy } from '../../../src/bot/strategy/load.ts'
import type { Config } from '../../../src/config/config.ts'
import { foresee } from '../../../src/forecast/forecastPlan.ts'
import type { Known } from '../../../src/forecast/forecastTypes.ts'
import { formatPlan } from '../../../src/forecast/planText.ts'
import { viewPlan } from '../../../src/forecast/viewPlan.ts'

/** The whole way from what is known to the text. */
export async function printed({
  config,
  known,
  strategies,
  until,
}: {
  readonly config: Config
  readonly known: Known
  readonly strategies: readonly LoadedStrategy[]
  readonly until: number
}) {
  const { courses, decisions } = await foresee({
    config,
    strategies,
    known,
    until,
    rest: async () => {},
  })
  const plan = viewPlan({ config, known, courses, until })
  return { plan, decisions, text: formatPlan(plan, { all: false }) }
}
