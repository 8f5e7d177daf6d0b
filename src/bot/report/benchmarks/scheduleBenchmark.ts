import { arithmeticMean } from './arithmeticMean.ts'
import { costBps, type Side } from './costBps.ts'
import { harmonicMean } from './harmonicMean.ts'

/** How a schedule did: against the middle of the market at its own slots, and those slots against the whole span. */
export type ScheduleBenchmark = {
  /** What the same amount at every slot would have got at the middle: the harmonic mean for a buyer. */
  readonly scheduledMid: number
  /** Above zero: the fills were worse than the middle at the slots. Slots that were missed are in the middle. */
  readonly executionSkillBps: number
  /** Above zero: the slots were worse than the span's time-weighted average. Luck, not skill. */
  readonly timingLuckBps: number | undefined
}

/**
 * Judges an average price by the middles at the scheduled instants. Prices are quote per base, in doubles.
 *
 * Who spends the same at every slot buys at the harmonic mean of the prices. Held to their arithmetic mean he would
 * seem to beat the market by what volatility alone makes of the two.
 */
export function scheduleBenchmark(
  side: Side,
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
    executionSkillBps: costBps(side, { price, benchmark: scheduledMid }),
    timingLuckBps:
      timeWeighted === undefined
        ? undefined
        : costBps(side, { price: scheduledMid, benchmark: timeWeighted }),
  }
}
