import type { Config } from '../config/config.ts'
import { toText } from '../core/amount.ts'
import { showDuration } from '../core/duration.ts'
import type { PlannedAsk, PlannedStrategy, PlanView } from '../dashboard/planView.ts'
import { createZone, markSlots, type Zone } from './createZone.ts'
import type { Ask, Course, Known, PlannedSwap } from './forecastTypes.ts'
import { blocksOf, factsOf, monthsOf } from './planSummary.ts'
import { createTally } from './planText.ts'

type Viewed = {
  readonly config: Config
  readonly known: Known
  readonly courses: readonly Course[]
  readonly until: number
}

/** A forecast as it goes out: to the terminal, as JSON, and over the dashboard. */
export function viewPlan({ config, known, courses, until }: Viewed): PlanView {
  const iso = (at: number) => new Date(at).toISOString()
  const zoned = courses.map((course) => ({ ...course, zone: zoneOf(course) }))
  return {
    from: iso(known.now),
    until: iso(until),
    strategies: zoned.map((course) => strategyOf(course, known)),
    months: zoned.flatMap(monthsOf).sort((a, b) => a.month.localeCompare(b.month)),
    blocks: zoned
      .flatMap((course) => blocksOf(course, { config, known }))
      .sort((a, b) => a.at.localeCompare(b.at)),
    unknown: known.unknown,
  }
}

/** A period is the same everywhere. */
function zoneOf({ loaded: { schedule } }: Course): Zone {
  return createZone(schedule.kind === 'cron' ? schedule.timeZone : 'UTC')
}

function strategyOf(course: Course & { readonly zone: Zone }, known: Known): PlannedStrategy {
  const { loaded, zone, asks, slots, plannedUntil } = course
  const { schedule } = loaded
  const marks =
    schedule.kind === 'cron'
      ? markSlots(schedule, { zone, slots: asks.map(({ at }) => at) })
      : new Map<number, string>()
  const sold = createTally()
  return {
    name: loaded.name,
    summary: loaded.strategy.summary,
    schedule:
      schedule.kind === 'cron'
        ? `${schedule.expression} in ${schedule.timeZone}`
        : `every ${showDuration(schedule.seconds * 1_000)}`,
    jitterSeconds: schedule.jitter ?? null,
    facts: factsOf(course, known),
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

/** A slot of which nothing is left is blocked, whatever was wanted. */
function kindOf({ kind, swaps }: Ask): PlannedAsk['kind'] {
  return kind === 'swap' && swaps.every(({ blocks }) => blocks.length > 0) ? 'blocked' : kind
}

function swapOf(swap: PlannedSwap, soldSoFar: PlannedSwap['sell']): PlannedAsk['swaps'][number] {
  const { sell, buy, floor, received, atBest, gas, blocks } = swap
  return {
    sell: toText(sell),
    buy: buy.symbol,
    floor: floor === undefined ? null : toText(floor),
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
