import { type Budget, budgetsOf } from '../bot/strategy/budgetsOf.ts'
import type { Config } from '../config/config.ts'
import { show, toText } from '../core/amount.ts'
import { createTotals, larger, sumWei } from '../core/holdings.ts'
import { differencePpm, isPrice, type Price, showPrice } from '../core/price.ts'
import { sameToken } from '../core/token.ts'
import type { PlannedBlock, PlannedMonth } from '../dashboard/planView.ts'
import type { Zone } from './createZone.ts'
import type { PlanBlock } from './findBlocks.ts'
import type { Outlook, PlannedSlot, StrategyForecast } from './forecastTypes.ts'

type Found = { readonly ask: PlannedSlot; readonly block: PlanBlock; slots: number }

/** For each rule that stands in a strategy's way: since when, how often, and one sentence with its place in the file. */
export function blockSummaries(
  forecast: StrategyForecast & { readonly zone: Zone },
  { config, outlook }: { config: Config; outlook: Outlook },
): readonly PlannedBlock[] {
  const found = new Map<string, Found>()
  for (const ask of forecast.asks)
    for (const [rule, block] of rulesOf(ask)) {
      const before = found.get(rule)
      if (before === undefined) found.set(rule, { ask, block, slots: 1 })
      else before.slots += 1
    }
  return [...found.values()].map(({ ask, block, slots }) => ({
    strategy: forecast.loaded.name,
    rule: block.path?.[0] === 'policy' ? block.path.join('.') : block.rule,
    at: new Date(ask.at).toISOString(),
    local: forecast.zone.show(ask.at),
    where: block.path === undefined ? null : config.locate(block.path),
    slots: forecast.loaded.schedule.kind === 'cron' ? slots : null,
    sentence:
      block.rule === 'funds' ? fundsSentence({ forecast, ask, block, outlook }) : block.sentence,
  }))
}

/** Each rule once for a slot, however many of its swaps it refuses. */
function rulesOf({ blocks, swaps }: PlannedSlot): ReadonlyMap<string, PlanBlock> {
  const all = [...blocks, ...swaps.flatMap((swap) => swap.blocks)]
  const first = new Map<string, PlanBlock>()
  for (const block of all) if (!first.has(block.rule)) first.set(block.rule, block)
  return first
}

/** The facts for a person who is to top up the wallet: how far it goes, and which slot is the first without. */
function fundsSentence({
  forecast: { asks, slots, plannedUntil, loaded },
  ask,
  block,
  outlook,
}: {
  forecast: StrategyForecast
  ask: PlannedSlot
  block: PlanBlock
  outlook: Outlook
}): string {
  if (loaded.schedule.kind !== 'cron') return block.sentence
  const filled = asks.filter(
    (one) => one.at < ask.at && one.swaps.some(({ blocks }) => blocks.length === 0),
  )
  const token = filled[0]?.swaps[0]?.sell.token ?? ask.swaps[0]?.sell.token
  const holds = token && outlook.balances?.find((balance) => sameToken(balance.token, token))
  const nth = asks.indexOf(ask) + 1
  const of = plannedUntil === undefined ? `${slots}` : `at least ${slots}`
  const enough = `enough for ${filled.length} of ${of} slots, the ${ordinal(nth)} would wait`
  return holds === undefined
    ? `${enough}: ${block.sentence}`
    : `holds ${show(holds)}: ${enough}; ${block.sentence}`
}

function ordinal(count: number): string {
  const teen = count % 100 >= 11 && count % 100 <= 13
  const ending = teen ? 'th' : (['th', 'st', 'nd', 'rd'][count % 10] ?? 'th')
  return `${count}${ending}`
}

/**
 * The meaning of parameters that every reader understands: how far the market is from each price among them, and the
 * course of a budget. A strategy that has neither has no facts.
 */
export function strategyFacts(
  forecast: StrategyForecast & { readonly zone: Zone },
  outlook: Outlook,
): readonly string[] {
  const { params } = forecast.loaded
  if (typeof params !== 'object' || params === null) return []
  const budgets = budgetsOf(forecast.loaded, outlook.standing(forecast.loaded.name))
  return Object.entries(params).flatMap(([key, value]: [string, unknown]) => {
    if (isPrice(value)) return distance(key, value, { forecast, outlook })
    const budget = budgets.find((one) => one.key === key)
    return budget === undefined ? [] : [burnDown(budget, { forecast, outlook })]
  })
}

type Around = {
  readonly forecast: StrategyForecast & { readonly zone: Zone }
  readonly outlook: Outlook
}

function distance(key: string, price: Price, { forecast, outlook }: Around): readonly string[] {
  const market = outlook.views
    .get(forecast.loaded.name)
    ?.indications.find(
      (one) =>
        one !== undefined &&
        sameToken(one.sold.token, price.sold.token) &&
        sameToken(one.bought.token, price.bought.token),
    )
  if (market === undefined)
    return [`${key}: ${showPrice(price)}; what the market pays is not known.`]
  const ppm = differencePpm(market, price)
  const size = (Math.abs(Number(ppm)) / 10_000).toFixed(2)
  const side = ppm < 0n ? `${size} % below it` : `${size} % above it`
  return [`${key}: ${showPrice(price)}; the market pays ${showPrice(market)}, ${side}.`]
}

/** Earlier swaps count: a budget is for the life of the strategy. */
function burnDown({ key, most, spent }: Budget, { forecast, outlook }: Around): string {
  const { loaded, asks } = forecast
  const swaps = asks.flatMap(({ at, swaps: some }) =>
    some.filter(({ blocks }) => blocks.length === 0).map((one) => ({ ...one, at })),
  )
  const spends = swaps
    .filter(({ sell }) => sameToken(sell.token, most.token))
    .map(({ at, sell }) => ({ at, wei: sell.wei }))
  const planned = sumWei(spends)
  const amount = (wei: bigint) => show({ ...most, wei })
  const head = `${key}: ${show(most)}, ${show(spent)} spent before, ${amount(planned)} planned`
  const standing = outlook.standing(loaded.name)
  const totals = swaps.map(({ sell, buy, received }) => ({
    ...{ sold: sell, bought: received ?? { token: buy, wei: 0n }, swaps: 1 },
  }))
  const then = { ...standing, totals: [...standing.totals, ...totals] }
  const used = budgetsOf(loaded, then).find((one) => one.key === key)?.spent ?? spent
  const left = larger(0n, most.wei - used.wei)
  const last = spends.at(-1)
  if (left > 0n || last === undefined) return `${head}, ${amount(left)} left at the end.`
  return `${head}; used up on ${forecast.zone.show(last.at)}, its last slice ${amount(last.wei)}.`
}

/** The actions of a strategy in each month in which it does anything. */
export function monthsOf({
  loaded,
  asks,
  zone,
}: StrategyForecast & { readonly zone: Zone }): readonly PlannedMonth[] {
  const months = new Map<string, typeof asks>()
  for (const ask of asks) {
    const month = new Date(ask.at + zone.offsetAt(ask.at)).toISOString().slice(0, 7)
    months.set(month, [...(months.get(month) ?? []), ask])
  }
  return [...months].flatMap(([month, some]): PlannedMonth[] => {
    const swaps = some.flatMap((ask) => ask.swaps.filter(({ blocks }) => blocks.length === 0))
    if (swaps.length === 0) return []
    const [sold, received, impact, gas] = [
      createTotals(),
      createTotals(),
      createTotals(),
      createTotals(),
    ]
    for (const swap of swaps) {
      sold.add(swap.sell)
      if (swap.received !== undefined && swap.recipient === undefined) received.add(swap.received)
      if (swap.received !== undefined && swap.atBest !== undefined)
        impact.add({ ...swap.atBest, wei: swap.atBest.wei - swap.received.wei })
      if (swap.gas !== undefined) gas.add(swap.gas)
    }
    const [paid] = gas.all()
    return [
      {
        month,
        strategy: loaded.name,
        swaps: swaps.length,
        sold: sold.all().map(toText),
        received: received.all().map(toText),
        impact: impact.all().map(toText),
        gas: paid === undefined ? null : toText(paid),
      },
    ]
  })
}
