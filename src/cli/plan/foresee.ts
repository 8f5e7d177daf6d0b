import type { LoadedStrategy } from '../../bot/strategy/load.ts'
import type { Config } from '../../config/config.ts'
import { type Forecast, forecast } from './forecast.ts'
import { joinCourses } from './joinCourses.ts'
import type { Known } from './known.ts'
import { suppose, type World } from './suppose.ts'

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
