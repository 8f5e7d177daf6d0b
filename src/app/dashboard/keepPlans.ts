import { nextSlot } from '../../bot/schedule/slots.ts'
import type { LoadedStrategy } from '../../bot/strategy/load.ts'
import type { Config } from '../../config/config.ts'
import type { Clock } from '../../core/clock.ts'
import { createShared } from '../../core/createShared.ts'
import { minuteMs } from '../../core/spans.ts'
import type { PlanView } from '../../dashboard/planView.ts'
import type { OpenMarket } from '../../engine/market.ts'
import { makePlan } from '../../forecast/forecastPlan.ts'

/** The page loads every few seconds, and a plan queries the market for every strategy. */
const planKeptMs = minuteMs

type Planned = {
  readonly config: Config
  /** Those in force now. */
  readonly rules: () => Pick<Config, 'policy' | 'breakers'>
  readonly market: OpenMarket
  /** Those that run now. */
  readonly strategies: () => readonly LoadedStrategy[]
  readonly clock: Clock
}

/** What all strategies do together is planned for so long on the page: a fast one decides hundreds of times meanwhile. */
const togetherMs = minuteMs

/** Plans of the bot that runs, one a minute for each length. */
export function keepPlans({ config: first, rules, market, strategies, clock }: Planned) {
  // The bot goes on with its market after the plan.
  const openMarket = async () => ({ ...market, close: async () => {} })
  const planFor = (some: readonly LoadedStrategy[], spanMs: number) => {
    const config = { ...first, ...rules() }
    return makePlan({ config, strategies: some, shown: some, spanMs, clock, openMarket })
  }
  const plans = createShared({
    ask: inTurn((spanMs: number) => planFor(strategies(), spanMs)),
    nameOf: String,
    keptMs: planKeptMs,
    clock,
  })
  return {
    plan: async (spanMs: number) => (await plans(spanMs)).value,
    coming: keepNewest(() => planComing({ strategies: strategies(), planFor, clock }), clock),
  }
}

/** One plan after the other: each takes from the turns of the bot, and there are as many lengths as anybody likes. */
function inTurn<value>(work: (spanMs: number) => Promise<value>) {
  let last: Promise<unknown> = Promise.resolve()
  return (spanMs: number): Promise<value> => {
    const mine = last.then(() => work(spanMs))
    last = mine.catch(() => undefined)
    return mine
  }
}

/** No further than the page shows: a slot beyond the next minutes is planned by itself. */
async function planComing({
  strategies,
  planFor,
  clock,
}: {
  strategies: readonly LoadedStrategy[]
  planFor: (some: readonly LoadedStrategy[], spanMs: number) => Promise<PlanView>
  clock: Clock
}): Promise<PlanView> {
  const together = await planFor(strategies, togetherMs)
  const later = strategies.filter(({ name }) =>
    together.strategies
      .find((one) => one.name === name)
      // One that is open is not to come.
      ?.asks.every(({ at }) => at <= together.from),
  )
  const alone = await Promise.all(
    later.map((one) => {
      const now = clock.now()
      return planFor([one], nextSlot(one.schedule, now) - now + 1)
    }),
  )
  const names = new Set(later.map(({ name }) => name))
  return {
    ...together,
    strategies: [
      ...together.strategies.filter(({ name }) => !names.has(name)),
      ...alone.flatMap((plan) => plan.strategies),
    ],
  }
}

/** Answers at once with the newest value, null before the first, and makes another where that is a minute old. */
function keepNewest<value>(make: () => Promise<value>, clock: Clock): () => Promise<value | null> {
  let newest: value | null = null
  let failure: unknown
  let madeAt = Number.NEGATIVE_INFINITY
  let isMaking = false
  const renew = async () => {
    isMaking = true
    try {
      newest = await make()
      failure = undefined
    } catch (error) {
      failure = error
    }
    madeAt = clock.now()
    isMaking = false
  }
  return async () => {
    const ageMs = clock.now() - madeAt
    // By a clock that was set back the age is not known.
    if (!isMaking && (ageMs < 0 || ageMs >= planKeptMs)) void renew()
    if (failure !== undefined) throw failure
    return newest
  }
}
