import { sqrtRatioAtTick, tickMax } from '../../src/chain/uniswapV3/ticks.ts'

/** The greatest tick whose ratio is not above the given one. */
export function tickAtSqrtRatio(sqrtRatio: bigint): number {
  let low = -tickMax
  let high = tickMax
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (sqrtRatioAtTick(middle) <= sqrtRatio) low = middle
    else high = middle - 1
  }
  return low
}
