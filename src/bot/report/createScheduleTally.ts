import { type Amount, medianAmount } from '../../core/amount.ts'
import type { Token } from '../../core/token.ts'
import type { Dossier } from '../dossier.ts'
import {
  gainBps,
  type PricePoint,
  rateOf,
  scheduleBenchmark,
  type TradeSide,
  timeWeighted,
} from './benchmarks.ts'

/** How the fills of one strategy in one direction did as a series: bps above zero are better than the comparison. Prices are quote per base, in doubles, for display. */
export type ScheduleTotal = {
  readonly strategy: string
  readonly side: TradeSide
  readonly base: Token
  readonly quote: Token
  readonly fills: number
  /** Every fill sold the same: what the harmonic mean supposes. */
  readonly fixedAmount: boolean
  readonly averagePrice: number
  /** Fills whose price in the middle is known: the benchmark is of these alone. */
  readonly withMid: number
  readonly scheduledMid: number | undefined
  readonly executionSkillBps: number | undefined
  /** From the first fill to the last, each known middle of the pair until the next; undefined of a single instant. */
  readonly timeWeightedMid: number | undefined
  readonly timingLuckBps: number | undefined
  /** The middle at the first fill: what all at once would have got. */
  readonly firstMid: number | undefined
  readonly againstFirstBps: number | undefined
}

type Fill = {
  readonly at: number
  readonly sold: bigint
  readonly received: bigint
  readonly mid: number | undefined
}

type Series = {
  readonly strategy: string
  readonly sell: Token
  readonly buy: Token
  readonly fills: Fill[]
}

/** Whether a token is what people count in: the pair's price is then in it. */
type IsMoney = (token: Token) => boolean

/**
 * Judges fills as series, by strategy and direction. The middle at an instant is that of the independent sources when a
 * swap of that pair was planned or quoted; where none was written down there is no benchmark.
 */
export function createScheduleTally(isMoney: IsMoney) {
  const series = new Map<string, Series>()
  const points = new Map<string, PricePoint[]>()

  const note = (swap: Dossier, at: number, fair: Amount) => {
    const { sell, buy } = swap.plan.intent
    const { side, base, quote } = sidesOf(sell.token, buy, isMoney)
    const key = [base.address, quote.address].join(' ').toLowerCase()
    const known = points.get(key) ?? []
    points.set(key, known)
    known.push({ at, price: priceOf({ sold: sell, bought: fair }, side) })
  }

  return {
    /** In the order in which they were planned. */
    add(swap: Dossier): void {
      const { plan, moved, createdAt, strategy, quote } = swap
      const { sell, buy } = plan.intent
      if (plan.arrival !== undefined) note(swap, createdAt, plan.arrival.fair)
      const said = quote?.appraisal?.references.filter(({ independent }) => independent) ?? []
      const asked = medianAmount(said.map(({ fair }) => fair))
      if (quote?.appraisal !== undefined && asked !== undefined)
        note(swap, quote.appraisal.askedAt, asked)
      // What was taken and written off has no price.
      if (moved === undefined || moved.received.wei === 0n) return
      const key = [strategy, sell.token.address, buy.address].join(' ').toLowerCase()
      const own = series.get(key) ?? { strategy, sell: sell.token, buy, fills: [] }
      series.set(key, own)
      const { side } = sidesOf(sell.token, buy, isMoney)
      own.fills.push({
        at: createdAt,
        sold: moved.sold.wei,
        received: moved.received.wei,
        mid: plan.arrival && priceOf({ sold: sell, bought: plan.arrival.fair }, side),
      })
    },
    result: (): readonly ScheduleTotal[] =>
      [...series.entries()]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([, one]) => totalOf(one, points, isMoney)),
  }
}

function totalOf(
  { strategy, sell, buy, fills }: Series,
  points: ReadonlyMap<string, readonly PricePoint[]>,
  isMoney: IsMoney,
): ScheduleTotal {
  const { side, base, quote } = sidesOf(sell, buy, isMoney)
  const average = (some: readonly Fill[]) =>
    priceOf(
      {
        sold: { token: sell, wei: some.reduce((sum, { sold }) => sum + sold, 0n) },
        bought: { token: buy, wei: some.reduce((sum, { received }) => sum + received, 0n) },
      },
      side,
    )
  const measured = fills.filter(({ mid }) => mid !== undefined)
  const slotMids = measured.flatMap(({ mid }) => mid ?? [])
  const known = points.get([base.address, quote.address].join(' ').toLowerCase()) ?? []
  const [from, until] = [fills[0]?.at ?? 0, fills.at(-1)?.at ?? 0]
  const timeWeightedMid = timeWeighted(
    [...known].sort((a, b) => a.at - b.at),
    { from, until },
  )
  const judged = scheduleBenchmark(side, {
    price: average(measured),
    slotMids,
    timeWeighted: timeWeightedMid,
  })
  const firstMid = slotMids[0]
  return {
    strategy,
    side,
    base,
    quote,
    fills: fills.length,
    fixedAmount: fills.every(({ sold }) => sold === fills[0]?.sold),
    averagePrice: average(fills),
    withMid: measured.length,
    scheduledMid: judged?.scheduledMid,
    executionSkillBps: judged?.executionSkillBps,
    timeWeightedMid,
    timingLuckBps: judged?.timingLuckBps,
    firstMid,
    againstFirstBps:
      firstMid === undefined
        ? undefined
        : gainBps(side, { price: average(measured), benchmark: firstMid }),
  }
}

/** A pair is priced in its money; where neither or both are money, in what is bought. */
function sidesOf(sell: Token, buy: Token, isMoney: IsMoney) {
  return isMoney(sell) && !isMoney(buy)
    ? ({ side: 'buy', base: buy, quote: sell } as const)
    : ({ side: 'sell', base: sell, quote: buy } as const)
}

function priceOf(price: { sold: Amount; bought: Amount }, side: TradeSide): number {
  return side === 'sell' ? rateOf(price) : rateOf({ sold: price.bought, bought: price.sold })
}
