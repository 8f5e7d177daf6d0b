import type { Price } from '../../core/price.ts'

/** The mean of figures, such as the average price of a seller of the same amount at each. In doubles; undefined of nothing. */
export function arithmeticMean(prices: readonly number[]): number | undefined {
  if (prices.length === 0) return undefined
  return prices.reduce((sum, price) => sum + price, 0) / prices.length
}

/** Which way the base of a pair went. Prices are quote per base. */
export type TradeSide = 'buy' | 'sell'

/** The shortfall of a price against its comparison, in basis points of that; negative is better. In doubles. */
export function costBps(
  side: TradeSide,
  { price, benchmark }: { readonly price: number; readonly benchmark: number },
): number {
  return 1e4 * (side === 'buy' ? price / benchmark - 1 : 1 - price / benchmark)
}

/** The same from the other side: above zero is better than the comparison. */
export const gainBps: typeof costBps = (side, prices) => 0 - costBps(side, prices)

/**
 * The average price of a buyer who spends the same at every one of these prices: never more than the arithmetic mean.
 * In doubles, for reports; undefined of nothing and where a price is not above zero.
 */
export function harmonicMean(prices: readonly number[]): number | undefined {
  if (prices.length === 0 || prices.some((price) => !(price > 0))) return undefined
  return prices.length / prices.reduce((sum, price) => sum + 1 / price, 0)
}

/** Digits behind the point that are kept: enough for a double of any rate between two tokens. */
const digits = 40

/**
 * The whole units of the bought token for one whole unit of the sold one, as the nearest double: for reports, never for
 * a decision.
 */
export function rateOf({ sold, bought }: Price): number {
  if (sold.wei === 0n) return Number.NaN
  const numerator = bought.wei * 10n ** BigInt(sold.token.decimals + digits)
  return Number(`${numerator / (sold.wei * 10n ** BigInt(bought.token.decimals))}e-${digits}`)
}

/** A price and since when it was known; milliseconds since the epoch. */
export type PricePoint = { readonly at: number; readonly price: number }

/**
 * The time-weighted average over a span: each price counts until the next one is known (last value carried forward).
 * Before the first one nothing counts. In doubles; undefined where no price was known before the span ended.
 *
 * The points are in the order of time.
 */
export function timeWeighted(
  points: readonly PricePoint[],
  { from, until }: { readonly from: number; readonly until: number },
): number | undefined {
  let sum = 0
  let span = 0
  for (const [index, { at, price }] of points.entries()) {
    const begins = Math.max(at, from)
    const ends = Math.min(points[index + 1]?.at ?? until, until)
    if (ends <= begins) continue
    sum += price * (ends - begins)
    span += ends - begins
  }
  return span === 0 ? undefined : sum / span
}

/** How a schedule did: against the middle of the market at its own slots, and those slots against the whole span. */
type ScheduleBenchmark = {
  /** The price of the same amount at every slot at the middle: the harmonic mean for a buyer. */
  readonly scheduledMid: number
  /** Above zero: the fills were better than the middle at the slots. Slots that were missed are in the middle. */
  readonly executionSkillBps: number
  /** Above zero: the slots were better than the span's time-weighted average. Luck, not skill. */
  readonly timingLuckBps: number | undefined
}

/**
 * Judges an average price by the middles at the scheduled instants. Prices are quote per base, in doubles.
 *
 * Who spends the same at every slot buys at the harmonic mean of the prices. Held to their arithmetic mean he would
 * seem to beat the market by what volatility alone makes of the two.
 */
export function scheduleBenchmark(
  side: TradeSide,
  {
    price,
    slotMids,
    timeWeighted,
  }: {
    readonly price: number
    readonly slotMids: readonly number[]
    readonly timeWeighted: number | undefined
  },
): ScheduleBenchmark | undefined {
  const scheduledMid = side === 'buy' ? harmonicMean(slotMids) : arithmeticMean(slotMids)
  if (scheduledMid === undefined) return undefined
  return {
    scheduledMid,
    executionSkillBps: gainBps(side, { price, benchmark: scheduledMid }),
    timingLuckBps:
      timeWeighted === undefined
        ? undefined
        : gainBps(side, { price: scheduledMid, benchmark: timeWeighted }),
  }
}

/**
 * Parts of a whole in hundredths of a basis point of `base`, rounded so that they add up to the rounded whole: each is
 * the difference of two rounded sums. For display.
 */
export function inBps(parts: readonly bigint[], base: bigint): readonly number[] {
  let sum = 0n
  let shown = 0n
  return parts.map((part) => {
    sum += part
    const next = rounded(sum * 1_000_000n, base)
    const own = next - shown
    shown = next
    return Number(own) / 100
  })
}

/** To the nearest; a half away from zero. */
function rounded(numerator: bigint, denominator: bigint): bigint {
  const size = numerator < 0n ? -numerator : numerator
  const whole = (size * 2n + denominator) / (denominator * 2n)
  return numerator < 0n ? -whole : whole
}

/** The smallest of the values that so large a share of them does not exceed; undefined of none. */
export function quantile(values: readonly number[], share: number): number | undefined {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]
}
