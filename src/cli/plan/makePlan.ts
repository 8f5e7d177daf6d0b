import type { LoadedStrategy } from '../../bot/strategy/load.ts'
import type { Config } from '../../config/config.ts'
import type { Clock } from '../../core/clock.ts'
import type { PlanView } from '../../dashboard/planView.ts'
import type { OpenMarket } from '../compose/openMarket.ts'
import { foresee } from './foresee.ts'
import { openKnown } from './openKnown.ts'
import { viewPlan } from './viewPlan.ts'

type Asked = {
  readonly config: Config
  /** All that run: they share the wallet, so each is planned beside the others. */
  readonly strategies: readonly LoadedStrategy[]
  /** Those that are wanted. */
  readonly shown: readonly LoadedStrategy[]
  readonly spanMs: number
  readonly clock: Clock
  /** Of a bot that runs. */
  readonly market?: OpenMarket
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
