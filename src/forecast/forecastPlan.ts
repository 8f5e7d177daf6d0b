import type { LoadedStrategy } from '../bot/strategy/load.ts'
import type { Config } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'
import { oneWhole, sameToken } from '../core/token.ts'
import type { PlanView } from '../dashboard/planView.ts'
import type { OpenMarket } from '../engine/market.ts'
import { type Forecast, forecast } from './forecast.ts'
import type {
  CompleteOutlook,
  MarketView,
  Outlook,
  PlannedSlot,
  PlannedSwap,
  StrategyForecast,
} from './forecastTypes.ts'
import { openOutlook } from './openOutlook.ts'
import { doubtsOfPlan } from './priceBlocks.ts'
import { viewPlan } from './viewPlan.ts'

/** One of two worlds that have nothing in common but the file: what a strategy does in both does not depend on them. */
type World = {
  /** This number of whole bought tokens for this number of whole sold ones. */
  readonly price: { readonly bought: bigint; readonly sold: bigint }
  /** Whole tokens in the wallet, of each. */
  readonly holds: bigint
  /** Whole tokens of each account that is watched. */
  readonly accountHolds: bigint
}

/** Puts something made up in the place of what is not known. */
function completeOutlook(
  outlook: Outlook,
  {
    config,
    strategies,
    world,
  }: { config: Config; strategies: readonly LoadedStrategy[]; world: World },
): CompleteOutlook {
  const views = new Map(
    strategies.map((one) => [one.name, outlook.views.get(one.name) ?? madeUp(one, world)]),
  )
  const none: MarketView = {
    indications: [],
    depths: [],
    references: [],
    swapCost: undefined,
    knownCost: undefined,
    levels: [],
  }
  return {
    ...outlook,
    balances:
      outlook.balances ??
      [...config.tokens.bySymbol.values()].map((token) => ({
        token,
        wei: world.holds * oneWhole(token),
      })),
    view: (strategy) => views.get(strategy) ?? none,
  }
}

function madeUp({ watches, accounts }: LoadedStrategy, { price, accountHolds }: World): MarketView {
  const prices = watches.map(({ sell, buy }) => {
    const bought = sell.wei * price.bought * oneWhole(buy)
    const wei = bought / (price.sold * oneWhole(sell.token))
    // However little it brings, it is a price.
    return { sold: sell, bought: { token: buy, wei: wei === 0n ? 1n : wei } }
  })
  const wanting = (what: 'depth' | 'reference', index: number) =>
    watches[index]?.wants?.includes(what) === true
  return {
    indications: prices.map((one) => ({ ...one, route: [] })),
    depths: prices.map((one, index) => (wanting('depth', index) ? [one] : [])),
    references: prices.map((one, index) => (wanting('reference', index) ? one : undefined)),
    accounts: accounts?.map(({ account, token }) => ({
      account,
      held: { token, wei: accountHolds * oneWhole(token) },
    })),
    swapCost: undefined,
    knownCost: undefined,
    levels: watches.map(() => []),
  }
}

/**
 * The actions of a strategy that two made-up worlds share, and for the rest that it depends on the market. Figures that
 * were made up are left out.
 */
function joinForecasts(one: StrategyForecast, other: StrategyForecast): StrategyForecast {
  const twins = new Map(other.asks.map((ask) => [ask.at, ask]))
  const instants = [...new Set([...one.asks, ...other.asks].map(({ at }) => at))].sort(
    (a, b) => a - b,
  )
  const own = new Map(one.asks.map((ask) => [ask.at, ask]))
  const asks = instants.map((at): PlannedSlot => {
    const [a, b] = [own.get(at), twins.get(at)]
    return a !== undefined && b !== undefined && isAlike(a, b)
      ? common(a, b)
      : { at, kind: 'unknown', reason: '', swaps: [], blocks: [] }
  })
  return { ...one, asks }
}

const isAlike = (one: PlannedSlot, other: PlannedSlot) =>
  one.kind === other.kind &&
  one.swaps.length === other.swaps.length &&
  one.swaps.every((swap, index) => isOfSame(swap, other.swaps[index]))

const isOfSame = (one: PlannedSwap, other: PlannedSwap | undefined) =>
  other !== undefined &&
  sameToken(one.sell.token, other.sell.token) &&
  one.sell.wei === other.sell.wei &&
  sameToken(one.buy, other.buy) &&
  one.recipient === other.recipient

function common(one: PlannedSlot, other: PlannedSlot): PlannedSlot {
  return {
    ...one,
    reason: one.kind === 'swap' || one.reason !== other.reason ? '' : one.reason,
    swaps: one.swaps.map((swap, index) => {
      const rules = other.swaps[index]?.blocks.map(({ rule }) => rule) ?? []
      const { sell, buy, recipient, blocks } = swap
      return {
        sell,
        buy,
        recipient,
        floor: undefined,
        received: undefined,
        atBest: undefined,
        gas: undefined,
        notional: undefined,
        blocks: blocks.filter(({ rule }) => rules.includes(rule)),
      }
    }),
  }
}

/**
 * Any price that a person would write into a file is between these two, so a result that depends on one comes out
 * differently.
 */
const worlds = {
  cheap: { price: { bought: 1n, sold: 10n ** 9n }, holds: 10n ** 15n, accountHolds: 0n },
  dear: { price: { bought: 10n ** 9n, sold: 1n }, holds: 10n ** 18n, accountHolds: 10n ** 15n },
} as const

/** The forecast from what is known; where something is not, what holds without it. */
export async function forecastPlan({
  config,
  strategies,
  outlook,
  until,
  rest,
}: Omit<Parameters<typeof forecast>[0], 'outlook'> & {
  readonly outlook: Outlook
}): Promise<Forecast> {
  const isKnown =
    outlook.balances !== undefined && strategies.every(({ name }) => outlook.views.has(name))
  const forecastIn = (world: World) =>
    forecast({
      config,
      strategies,
      outlook: completeOutlook(outlook, { config, strategies, world }),
      until,
      rest,
    })
  const one = await forecastIn(worlds.cheap)
  if (isKnown) return one
  const other = await forecastIn(worlds.dear)
  return {
    forecasts: one.forecasts.map((own, index) => {
      const twin = other.forecasts[index]
      return twin === undefined ? own : joinForecasts(own, twin)
    }),
    decisions: one.decisions + other.decisions,
  }
}

type Asked = {
  readonly config: Config
  /** All that run: they share the wallet, so each is planned beside the others. */
  readonly strategies: readonly LoadedStrategy[]
  /** The wanted strategies. */
  readonly shown: readonly LoadedStrategy[]
  readonly spanMs: number
  readonly clock: Clock
  /** Opens the market; the plan closes what it is given. */
  readonly openMarket: () => Promise<OpenMarket>
  /** Ends the planning. */
  readonly signal?: AbortSignal
}

/** Finds out what can be found out, and plans from there. */
export async function makePlan({
  config,
  strategies,
  shown,
  spanMs,
  signal,
  ...around
}: Asked): Promise<PlanView> {
  const outlook = await openOutlook(config, { strategies, ...around })
  try {
    const until = outlook.now + spanMs
    const rest = () => around.clock.sleep(0, signal)
    const { forecasts } = await forecastPlan({ config, strategies, outlook, until, rest })
    const wanted = forecasts.filter(({ loaded }) => shown.includes(loaded))
    const doubts = await doubtsOfPlan(config, { outlook, strategies: shown })
    return viewPlan({ config, outlook, forecasts: wanted, until, doubts })
  } finally {
    await outlook.close()
  }
}
