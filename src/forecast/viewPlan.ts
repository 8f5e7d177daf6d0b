import type { Config } from '../config/config.ts'
import { toText } from '../core/amount.ts'
import { showDuration } from '../core/duration.ts'
import { createTotals } from '../core/holdings.ts'
import { isoText } from '../core/isoText.ts'
import type { PlannedAsk, PlannedStrategy, PlanView } from '../dashboard/planView.ts'
import type { PriceDoubt } from '../engine/priceDoubts.ts'
import { createZone, markSlots, type Zone } from './createZone.ts'
import type { Outlook, PlannedSlot, PlannedSwap, StrategyForecast } from './forecastTypes.ts'
import { blockSummaries, monthsOf, strategyFacts } from './planSummary.ts'
import { priceBlocks } from './priceBlocks.ts'

type Viewed = {
  readonly config: Config
  readonly outlook: Outlook
  readonly forecasts: readonly StrategyForecast[]
  readonly until: number
  /** Prices of a person that the market is nowhere near. */
  readonly doubts: readonly PriceDoubt[]
}

/** A forecast as it goes out: to the terminal, as JSON, and over the dashboard. */
export function viewPlan({ config, outlook, forecasts, until, doubts }: Viewed): PlanView {
  const zoned = forecasts.map((forecast) => ({ ...forecast, zone: zoneOf(forecast) }))
  return {
    from: isoText(outlook.now),
    until: isoText(until),
    strategies: zoned.map((forecast) => strategyOf(forecast, outlook)),
    months: zoned.flatMap(monthsOf).sort((a, b) => a.month.localeCompare(b.month)),
    blocks: zoned
      .flatMap((forecast) => [
        ...priceBlocks(forecast, { config, outlook, doubts }),
        ...blockSummaries(forecast, { config, outlook }),
      ])
      .sort((a, b) => a.at.localeCompare(b.at)),
    unknown: outlook.unknown,
  }
}

/** A period is the same everywhere. */
function zoneOf({ loaded: { schedule } }: StrategyForecast): Zone {
  return createZone(schedule.kind === 'cron' ? schedule.timeZone : 'UTC')
}

function strategyOf(
  forecast: StrategyForecast & { readonly zone: Zone },
  outlook: Outlook,
): PlannedStrategy {
  const { loaded, zone, asks, slots, plannedUntil } = forecast
  const { schedule } = loaded
  const marks =
    schedule.kind === 'cron'
      ? markSlots(schedule, { zone, slots: asks.map(({ at }) => at) })
      : new Map<number, string>()
  const sold = createTotals()
  return {
    name: loaded.name,
    summary: loaded.strategy.summary,
    schedule:
      schedule.kind === 'cron'
        ? `${schedule.expression} in ${schedule.timeZone}`
        : `every ${showDuration(schedule.seconds * 1_000)}`,
    jitterSeconds: schedule.jitter ?? null,
    facts: [...openFacts(forecast, outlook), ...strategyFacts(forecast, outlook)],
    slots,
    plannedUntil: plannedUntil === undefined ? null : new Date(plannedUntil).toISOString(),
    asks: asks.map(
      (ask): PlannedAsk => ({
        at: new Date(ask.at).toISOString(),
        local: zone.show(ask.at),
        clocks: marks.get(ask.at) ?? null,
        kind: kindOf(ask),
        reason: ask.reason,
        swaps: ask.swaps.map((swap) => {
          if (swap.blocks.length === 0) sold.add(swap.sell)
          return swapOf(swap, sold.of(swap.sell.token))
        }),
      }),
    ),
  }
}

/** The slots before the plan begins that are decided all the same. */
function openFacts({ asks }: StrategyForecast, { now }: Outlook): readonly string[] {
  const open = asks.filter(({ at }) => at <= now).length
  if (open === 0) return []
  return [
    open === 1
      ? '1 slot is still open, and comes first: it is decided as soon as it is due and the bot runs.'
      : `${open} slots are still open, and come first: they are decided as soon as they are due and the bot runs.`,
  ]
}

/** A slot of which nothing is left is blocked, whatever was wanted. */
function kindOf({ kind, swaps }: PlannedSlot): PlannedAsk['kind'] {
  return kind === 'swap' && swaps.every(({ blocks }) => blocks.length > 0) ? 'blocked' : kind
}

function swapOf(swap: PlannedSwap, soldSoFar: PlannedSwap['sell']): PlannedAsk['swaps'][number] {
  const { sell, buy, floor, recipient, received, atBest, gas, blocks } = swap
  return {
    sell: toText(sell),
    buy: buy.symbol,
    floor: floor === undefined ? null : toText(floor),
    recipient: recipient ?? null,
    received: received === undefined ? null : toText(received),
    impactBps:
      received === undefined || atBest === undefined || atBest.wei === 0n
        ? null
        : // For display: hundredths of a basis point.
          Number(((atBest.wei - received.wei) * 1_000_000n) / atBest.wei) / 100,
    gas: gas === undefined ? null : toText(gas),
    soldSoFar: toText(soldSoFar),
    blockedBy: blocks.map(({ rule }) => rule),
  }
}
