import { isDeepStrictEqual } from 'node:util'
import type { LoadedStrategy } from '../bot/strategy/load.ts'
import type { Config } from '../config/config.ts'
import { type Considered, createForecastWorld } from './createForecastWorld.ts'
import { createPace, type Pace } from './createPace.ts'
import type { CompleteOutlook, PlannedSlot, StrategyForecast } from './forecastTypes.ts'

export type Forecast = {
  readonly forecasts: readonly StrategyForecast[]
  /** The number of times a strategy was called. */
  readonly decisions: number
}

/**
 * The number of looks of all strategies together, and of one of them: a plan is to be there before its reader leaves.
 * One alone gets a week of minutes or a year of hours.
 */
const looksMax = { all: 100_000, one: 10_000 } as const

/**
 * A bot that trades makes plans too, for its page: after this number of looks its swaps go on. The time limit costs more
 * than a look does.
 */
const looksAtOnce = 20

/**
 * Lets the real strategies decide at every slot until `until`, one after the other as the bot would, on a wallet and a
 * journal that only this plan writes. Slots that are still open come first, as they are decided now. Prices stay as they
 * are in `outlook`.
 */
export async function forecast({
  config,
  strategies,
  outlook,
  until,
  rest,
}: {
  readonly config: Config
  readonly strategies: readonly LoadedStrategy[]
  readonly outlook: CompleteOutlook
  readonly until: number
  /** Lets whatever else waits have its turn. */
  readonly rest: () => Promise<void>
}): Promise<Forecast> {
  const world = createForecastWorld({ config, strategies, outlook })
  const share = Math.min(looksMax.one, Math.floor(looksMax.all / Math.max(strategies.length, 1)))
  const inOrder = [...strategies].sort((a, b) => b.priority - a.priority)
  const runs = inOrder.map((loaded) => ({
    loaded,
    pace: createPace(loaded.schedule, { after: outlook.goesOnAfter(loaded.name), until }),
    asks: [] as PlannedSlot[],
    last: undefined as PlannedSlot | undefined,
    looks: 0,
  }))
  let turnAt = looksAtOnce
  const next = () => earliest(runs, outlook.now)
  for (let run = next(); run !== undefined; run = next()) {
    if (world.looks() >= turnAt) {
      await rest()
      turnAt = world.looks() + looksAtOnce
    }
    const { loaded, pace } = run
    const looksBefore = world.looks()
    const isQuiet = (considered: Considered) =>
      run.last !== undefined && isSame(considered.ask, run.last) && world.isIdle(loaded, considered)
    const at = pace.next() ?? until
    const considered = await world.consider(loaded, at)
    const quiet = isQuiet(considered)
    world.carryOut(loaded, considered)
    if (loaded.schedule.kind === 'cron' || !quiet) run.asks.push(considered.ask)
    run.last = considered.ask
    pace.advance(at, quiet)
    await pace.search(async (slot) => isQuiet(await world.consider(loaded, slot)))
    run.looks += world.looks() - looksBefore
    if (run.looks >= share) pace.stop()
    // Another strategy may have been waiting for the bought amount; a later one in the order sees it at the same
    // instant.
    if (considered.fills.length > 0)
      for (const [index, other] of runs.entries())
        if (other !== run) other.pace.wake(index > runs.indexOf(run) ? at : at + 1)
  }
  return {
    forecasts: strategies.flatMap((strategy) =>
      runs
        .filter(({ loaded }) => loaded === strategy)
        .map(({ loaded, pace, asks }) => ({
          loaded,
          asks,
          slots: pace.count(),
          plannedUntil: pace.plannedUntil(),
        })),
    ),
    decisions: world.decisions(),
  }
}

/**
 * The next to be called. Of those that are due at once, as all are that are open now, the bot calls the one of the higher
 * priority first, then the earlier slot, then in the order of the file. So they come in.
 */
function earliest<run extends { readonly loaded: LoadedStrategy; readonly pace: Pace }>(
  runs: readonly run[],
  now: number,
): run | undefined {
  let best: { readonly run: run; readonly at: number; readonly slot: number } | undefined
  for (const run of runs) {
    const slot = run.pace.next()
    if (slot === undefined) continue
    const at = Math.max(slot, now)
    const isEarlier =
      best === undefined ||
      at < best.at ||
      (at === best.at && slot < best.slot && run.loaded.priority === best.run.loaded.priority)
    if (isEarlier) best = { run, at, slot }
  }
  return best?.run
}

/** The same answer in the same words, refused by the same rules: one that begins and one that is over both wait. */
const isSame = (one: PlannedSlot, other: PlannedSlot) =>
  one.kind === other.kind &&
  one.reason === other.reason &&
  isDeepStrictEqual(rulesOf(one), rulesOf(other))

const rulesOf = ({ blocks, swaps }: PlannedSlot) =>
  [blocks, ...swaps.map((swap) => swap.blocks)].map((some) => some.map(({ rule }) => rule))
