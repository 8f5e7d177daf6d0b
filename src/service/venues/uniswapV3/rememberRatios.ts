import { sqrtRatioAtTick } from './sqrtRatioAtTick.ts'
import type { RatioAt } from './swap.ts'

/** More ticks than a pool's window has; then it begins again. */
const ratiosMax = 10_000

/** √prices at ticks never change, and one takes longer to compute than a step of a swap. */
export function rememberRatios(): RatioAt {
  const known = new Map<number, bigint>()
  return (tick) => {
    const ratio = known.get(tick) ?? sqrtRatioAtTick(tick)
    if (known.size >= ratiosMax) known.clear()
    known.set(tick, ratio)
    return ratio
  }
}
