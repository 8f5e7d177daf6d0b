import type { LoadedStrategy } from '../../../src/bot/strategy/load.ts'
import { foresee } from '../../../src/cli/plan/foresee.ts'
import type { Known } from '../../../src/cli/plan/known.ts'
import { printPlan } from '../../../src/cli/plan/printPlan.ts'
import { viewPlan } from '../../../src/cli/plan/viewPlan.ts'
import type { Config } from '../../../src/config/config.ts'

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
  return { plan, decisions, text: printPlan(plan, { all: false }) }
}
