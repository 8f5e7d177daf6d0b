import type { Dossier } from '../../bot/dossier.ts'
import { inBps, quantile } from '../../bot/report/benchmarks.ts'
import type { Quality } from '../../bot/report/quality.ts'
import { type Shortfall, timingOf } from '../../bot/report/shortfall.ts'
import { type Amount, toText } from '../../core/amount.ts'
import { isoText } from '../../core/isoText.ts'
import { differencePpm, type Price } from '../../core/price.ts'
import type { Token } from '../../core/token.ts'
import { priceText } from '../figures.ts'
import type { collect, Executed } from './collect.ts'

type Collected = Awaited<ReturnType<typeof collect>>

/** A report as `--json` has it. Costs above zero are costs, gains above zero are gains; bps are of what the sold amount was worth when it was decided. */
export type ReportText = ReturnType<typeof reportText>

export function reportText({ first, ...report }: Collected) {
  const { rates, executions, schedules, timings, slots, newest } = report
  return {
    from: first === undefined ? null : isoText(first),
    swaps: rates.planned,
    rates: { ...rates, shares: sharesOf(rates) },
    unplanned: report.unplanned,
    timing: {
      quoteAgeMs: spread(timings.map(({ quoteAgeMs }) => quoteAgeMs)),
      inclusionMs: spread(timings.map(({ inclusionMs }) => inclusionMs)),
      inclusionBlocks: spread(timings.map(({ inclusionBlocks }) => inclusionBlocks)),
      leftSeconds: spread(timings.map(({ leftSeconds }) => leftSeconds)),
    },
    gasForNothingWei: report.gasForNothing.toString(),
    execution: executions.map(executionText),
    newest: newest.map(swapText),
    venues: report.venues.map(({ overIndicationBps, slippageBps, ...counts }) => ({
      ...counts,
      fadeRate: hundredth(counts.fadeRate * 100) / 100,
      overIndicationBps: orNull(overIndicationBps),
      slippageBps: orNull(slippageBps),
    })),
    schedules: schedules.map(scheduleText),
    slots: {
      counts: slots.counts,
      notDone: slots.notDone.map(({ strategy, slot, upto, slots: count, state, reason }) => ({
        strategy,
        slot: isoText(slot),
        upto: isoText(upto),
        slots: count,
        state,
        reason,
      })),
    },
    quality: report.qualities.map(qualityText),
    makers: report.makers.map(makerText),
    opportunity: report.opportunities.map(opportunityText),
    parity: {
      ...report.parity,
      meanBps: orNull(report.parity.meanBps),
      worstBps: orNull(report.parity.worstBps),
      gasMeanBps: orNull(report.parity.gasMeanBps),
    },
  }
}

/** What the settled swaps of a strategy in one direction of a pair cost. */
export function executionText({ sell, buy, ...sum }: Collected['executions'][number]) {
  const bought = (wei: bigint) => toText({ token: buy, wei })
  const { measured, worth, delay, spread: spent, slippage, gas, tip, total } = sum
  return {
    strategy: sum.strategy,
    sell: sell.symbol,
    buy: buy.symbol,
    swaps: sum.swaps,
    sold: toText({ token: sell, wei: sum.sold }),
    received: bought(sum.received),
    benchmark: measured === 0 ? 'no benchmark' : 'independent sources at the decision',
    measured,
    gasUnpriced: sum.gasUnpriced,
    indicationOnly: sum.indicationOnly,
    withoutBenchmark: sum.withoutBenchmark,
    worth: measured === 0 ? null : bought(worth),
    cost:
      measured === 0
        ? null
        : {
            delay: bought(delay),
            spread: bought(spent),
            slippage: bought(slippage),
            gas: bought(gas),
            gasTip: bought(tip),
            total: bought(total),
          },
    bps: measured === 0 ? null : bpsOf({ delay, spread: spent, slippage, gas }, worth),
  }
}

function scheduleText({ base, quote, ...own }: Collected['schedules'][number]) {
  return {
    strategy: own.strategy,
    side: own.side,
    price: `${quote.symbol} per ${base.symbol}`,
    fills: own.fills,
    fixedAmount: own.fixedAmount,
    withMid: own.withMid,
    averagePrice: own.averagePrice,
    scheduledMid: own.scheduledMid ?? null,
    executionSkillBps: orNull(own.executionSkillBps),
    timeWeightedMid: own.timeWeightedMid ?? null,
    timingLuckBps: orNull(own.timingLuckBps),
    firstMid: own.firstMid ?? null,
    againstFirstBps: orNull(own.againstFirstBps),
  }
}

function qualityText({ sell, buy, marks, pools, ...own }: Collected['qualities'][number]) {
  const bought = (wei: bigint) => toText({ token: buy, wei })
  const summed = ({ swaps, missing, worth, gain }: Omit<(typeof marks)[number], 'afterMs'>) => ({
    ...{ swaps, missing, worth: bought(worth), gain: bought(gain), bps: partBps(gain, worth) },
  })
  const [own0] = marks.filter(({ afterMs, swaps }) => afterMs === 0 && swaps > 0)
  return {
    strategy: own.strategy,
    sell: sell.symbol,
    buy: buy.symbol,
    swaps: own.swaps,
    // Twice from the middle to the price: what buying and selling at once would have cost.
    effectiveSpreadBps: own0 === undefined ? null : partBps(-2n * own0.gain, own0.worth),
    markouts: marks.map(({ afterMs, ...sum }) => ({
      afterSeconds: afterMs / 1_000,
      ...summed(sum),
    })),
    pools: pools.map(({ when, ...sum }) => ({ when, ...summed(sum) })),
    sandwich: { checked: own.checked, neighboured: own.neighboured, suspected: own.suspected },
  }
}

function makerText({ maker, latencies, markouts, ...own }: Collected['makers'][number]) {
  const { overMiddleBps, overPoolsBps, ...counts } = own
  return {
    maker: maker ?? 'pools',
    ...counts,
    quoteMs: spread(latencies),
    overMiddleBps: orNull(overMiddleBps),
    overPoolsBps: orNull(overPoolsBps),
    markouts: markouts.map(({ afterMs, bps }) => ({
      afterSeconds: afterMs / 1_000,
      bps: hundredth(bps),
    })),
  }
}

function opportunityText({ sell, buy, costs, ...own }: Collected['opportunities'][number]) {
  const bought = (wei: bigint) => toText({ token: buy, wei })
  return {
    ...{ strategy: own.strategy, sell: sell.symbol, buy: buy.symbol, wishes: own.wishes },
    costs: costs.map(({ afterMs, wishes, missing, worth, cost }) => ({
      ...{ afterSeconds: afterMs / 1_000, wishes, missing },
      ...{ worth: bought(worth), cost: bought(cost), bps: partBps(cost, worth) },
    })),
  }
}

function swapText({ swap, cost, quality }: Executed) {
  const { plan, quote, moved } = swap
  const { sell, buy } = plan.intent
  const real = moved && { sold: moved.sold, bought: moved.received }
  const firm = quote && { sold: sell, bought: quote.amountOut }
  const least = quote && { sold: sell, bought: quote.minimum }
  const { quoteAgeMs, inclusionMs, inclusionBlocks, leftSeconds } = timingOf(swap)
  const timing = { quoteAgeMs, inclusionMs, inclusionBlocks, leftSeconds }
  return {
    id: swap.id,
    at: isoText(swap.createdAt),
    strategy: swap.strategy,
    sold: moved === undefined ? null : toText(moved.sold),
    received: moved === undefined ? null : toText(moved.received),
    source: quote?.source ?? null,
    benchmark: cost?.benchmark.kind ?? 'no benchmark',
    benchmarkSources: cost?.benchmark.sources ?? [],
    benchmarkAgeMs: cost?.benchmark.ageMs ?? null,
    prices: {
      decision:
        cost === undefined || moved === undefined
          ? null
          : priceOf(moved.sold, cost.benchmark.worth),
      indication: plan.indication === undefined ? null : priceText(plan.indication),
      firm: firm === undefined ? null : priceText(firm),
      realised: real === undefined ? null : priceText(real),
    },
    cost: cost === undefined ? null : costText(cost, buy),
    bps: cost === undefined ? null : bpsOf(cost, cost.benchmark.worth.wei),
    overIndicationBps: apartBps(firm, plan.indication),
    overMinimumBps: apartBps(real, least),
    slippageBps: negated(apartBps(real, firm)),
    blocks: {
      decision: plan.arrival?.block ?? null,
      quote: quote?.appraisal?.block ?? null,
      inclusion: swap.block ?? null,
    },
    gasPaid: gasPaidText(swap),
    ...(quality === undefined ? noQuality : ownQualityText(quality, swap)),
    timing: Object.fromEntries(
      Object.entries(timing).map(([name, value]) => [name, value ?? null]),
    ),
  }
}

/** Wei of the coin, by what it was paid for; null where it was not written down. */
function gasPaidText({ gasPaidInAll, basePaidInAll, tipPaidInAll }: Dossier) {
  const rest =
    gasPaidInAll === undefined || basePaidInAll === undefined || tipPaidInAll === undefined
      ? undefined
      : gasPaidInAll - basePaidInAll - tipPaidInAll
  const text = (wei: bigint | undefined) => wei?.toString() ?? null
  return {
    ...{ totalWei: text(gasPaidInAll), baseWei: text(basePaidInAll), tipWei: text(tipPaidInAll) },
    restWei: text(rest),
  }
}

const noQuality = { effectiveSpreadBps: null, markouts: [], pools: [], legs: [], sandwich: null }

function ownQualityText({ marks, pools, legs, neighbours }: Quality, { plan }: Dossier) {
  const { buy } = plan.intent
  const bought = (wei: bigint | undefined) =>
    wei === undefined ? null : toText({ token: buy, wei })
  const own = marks.find(({ afterMs }) => afterMs === 0)
  const bpsOfGain = (gain: bigint | undefined, worth: bigint | undefined) =>
    gain === undefined || worth === undefined ? null : partBps(gain, worth)
  return {
    effectiveSpreadBps: own?.gain === undefined ? null : bpsOfGain(-2n * own.gain, own.worth),
    markouts: marks.map(({ afterMs, block, gain, worth, missing }) => ({
      ...{ afterSeconds: afterMs / 1_000, block: block ?? null },
      ...{ worth: bought(worth), gain: bought(gain), bps: bpsOfGain(gain, worth) },
      missing: missing ?? null,
    })),
    pools: pools.map(({ when, block, gain, missing, ...one }) => ({
      ...{ when, block, pool: 'pool' in one ? one.pool : null },
      ...{ bought: bought(one.bought), gain: bought(gain), bps: bpsOfGain(gain, one.bought) },
      missing: missing ?? null,
    })),
    legs: legs.map(({ fill, overMiddle, overPools, ...leg }) => ({
      ...{ maker: leg.maker ?? null, sell: leg.sell, soldWei: leg.sold.toString() },
      ...{ buy: leg.buy, promisedWei: leg.bought.toString() },
      filledBy: fill === undefined ? null : { kind: fill.by, address: fill.address },
      filledWei: fill?.bought.toString() ?? null,
      ...{ overMiddle: bought(overMiddle), overPools: bought(overPools) },
    })),
    sandwich: neighbours ?? null,
  }
}

/** A part of a whole, to the nearest hundredth. */
const partBps = (part: bigint, whole: bigint): number | null =>
  whole === 0n ? null : (inBps([part], whole)[0] ?? null)

function costText({ delay, spread: spent, slippage, gas, tip, total }: Shortfall, token: Token) {
  const text = (wei: bigint | undefined) => (wei === undefined ? null : toText({ token, wei }))
  return {
    delay: text(delay),
    spread: text(spent),
    slippage: text(slippage),
    gas: text(gas),
    gasTip: text(tip),
    total: text(total),
  }
}

type Parts = {
  readonly delay: bigint | undefined
  readonly spread: bigint
  readonly slippage: bigint
  readonly gas: bigint | undefined
}

/** Rounded so that the parts shown add up to the total shown. */
function bpsOf({ delay, spread: spent, slippage, gas }: Parts, worth: bigint) {
  const known = [delay ?? 0n, spent, slippage, gas ?? 0n]
  const [first = 0, second = 0, third = 0, fourth = 0] = inBps(known, worth)
  return {
    delay: delay === undefined ? null : first,
    spread: second,
    slippage: third,
    gas: gas === undefined ? null : fourth,
    total: hundredth(first + second + third + fourth),
  }
}

function sharesOf({
  planned,
  quoted,
  accepted,
  sent,
  taken,
  settled,
  reverted,
}: Collected['rates']) {
  const share = (part: number, of: number) => (of === 0 ? null : hundredth((100 * part) / of))
  return {
    quotedOfPlanned: share(quoted, planned),
    acceptedOfQuoted: share(accepted, quoted),
    sentOfAccepted: share(sent, accepted),
    takenOfSent: share(taken, sent),
    settledOfSent: share(settled, sent),
    revertedOfSent: share(reverted, sent),
  }
}

/** The middle one and the one that a twentieth exceed; null of none. */
function spread(values: readonly (number | undefined)[]) {
  const known = values.filter((value) => value !== undefined)
  const [half, most] = [quantile(known, 0.5), quantile(known, 0.95)]
  return half === undefined || most === undefined ? null : { count: known.length, half, most }
}

function apartBps(price: Price | undefined, from: Price | undefined): number | null {
  if (price === undefined || from === undefined || from.bought.wei === 0n) return null
  return Number(differencePpm(price, from)) / 100
}

const negated = (bps: number | null) => (bps === null || bps === 0 ? bps : -bps)

const priceOf = (sold: Amount, bought: Amount) => priceText({ sold, bought })

const hundredth = (value: number) => Math.round(value * 100) / 100

const orNull = (value: number | undefined) => (value === undefined ? null : hundredth(value))
