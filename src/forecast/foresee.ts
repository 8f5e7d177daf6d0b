import type { LoadedStrategy } from '../bot/strategy/load.ts'
import type { Config } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'
import type { PlanView } from '../dashboard/planView.ts'
import type { OpenMarket } from '../engine/market.ts'
import { type Forecast, forecast } from './forecast.ts'
import type { Known } from './forecastTypes.ts'
import { joinCourses } from './joinCourses.ts'
import { openKnown } from './openKnown.ts'
import { suppose, type World } from './suppose.ts'
import { viewPlan } from './viewPlan.ts'

/** Any price that somebody would write into a file is between these two, so what depends on one comes out differently. */
const worlds = {
  cheap: { price: { bought: 1n, sold: 10n ** 9n }, holds: 10n ** 15n },
  dear: { price: { bought: 10n ** 9n, sold: 1n }, holds: 10n ** 18n },
} as const

/** The forecast from what is known; where something is not, what holds without it. */
export async function foresee({
  config,
  strategies,
  known,
  until,
  rest,
}: {
  readonly config: Config
  readonly strategies: readonly LoadedStrategy[]
  readonly known: Known
  readonly until: number
  readonly rest: () => Promise<void>
}): Promise<Forecast> {
  const isKnown =
    known.balances !== undefined && strategies.every(({ name }) => known.views.has(name))
  const forecastIn = (world: World) =>
    forecast({
      config,
      strategies,
      sight: suppose(known, { config, strategies, world }),
      until,
      rest,
    })
  const one = await forecastIn(worlds.cheap)
  if (isKnown) return one
  const other = await forecastIn(worlds.dear)
  return {
    courses: one.courses.map((course, index) => {
      const twin = other.courses[index]
      return twin === undefined ? course : joinCourses(course, twin)
    }),
    decisions: one.decisions + other.decisions,
  }
}

type Asked = {
  readonly config: Config
  /** All that run: they share the wallet, so each is planned beside the others. */
  readonly strategies: readonly LoadedStrategy[]
  /** Those that are wanted. */
  readonly shown: readonly LoadedStrategy[]
  readonly spanMs: number
  readonly clock: Clock
  /** Opens the market; the plan closes what it is given. */
  readonly openMarket: () => Promise<OpenMarket>
}

/** Finds out what can be found out, and plans from there. */
export async function makePlan({
  config,
  strategies,
  shown,
  spanMs,
  ...around
}: Asked): Promise<PlanView> {
  const known = await openKnown(config, { strategies, ...around })
  try {
    const until = known.now + spanMs
    const rest = () => around.clock.sleep(0)
    const { courses } = await foresee({ config, strategies, known, until, rest })
    const wanted = courses.filter(({ loaded }) => shown.includes(loaded))
    return viewPlan({ config, known, courses: wanted, until })
  } finally {
    await known.close()
  }
}
