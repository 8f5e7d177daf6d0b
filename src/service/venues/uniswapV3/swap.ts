import { countUpTo, stopAbove, stopBelow } from './nextStop.ts'
import type { PoolState } from './poolState.ts'
import { stepDown, stepUp } from './swapStep.ts'

/** Looks a tick's √price up; computing it takes longer than a step. */
export type RatioAt = (tick: number) => bigint

/** What selling token0 to a pool brings, to the wei. Undefined when the depth that was read ends before. */
export function swap0(state: PoolState, amount: bigint, ratioAt: RatioAt): bigint | undefined {
  const { fee, spacing, ticks, lowest } = state
  let { price, tick, liquidity } = state
  let index = countUpTo(state, tick) - 1
  let left = amount
  let bought = 0n
  while (left > 0n) {
    const candidate = ticks[index]
    if (candidate === undefined && liquidity === 0n) return undefined
    const stop = stopBelow(tick, candidate?.tick, spacing)
    if (stop < lowest) return undefined
    const target = ratioAt(stop)
    const step = stepDown({ price, target, liquidity, amount: left, fee })
    left -= step.taken
    bought += step.paid
    price = step.price
    if (price !== target) break
    if (candidate?.tick === stop) {
      liquidity -= candidate.net
      index -= 1
    }
    tick = stop - 1
  }
  return bought
}

/** What selling token1 brings. */
export function swap1(state: PoolState, amount: bigint, ratioAt: RatioAt): bigint | undefined {
  const { fee, spacing, ticks, highest } = state
  let { price, tick, liquidity } = state
  let index = countUpTo(state, tick)
  let left = amount
  let bought = 0n
  while (left > 0n) {
    const candidate = ticks[index]
    if (candidate === undefined && liquidity === 0n) return undefined
    const stop = stopAbove(tick, candidate?.tick, spacing)
    if (stop > highest) return undefined
    const target = ratioAt(stop)
    const step = stepUp({ price, target, liquidity, amount: left, fee })
    left -= step.taken
    bought += step.paid
    price = step.price
    if (price !== target) break
    if (candidate?.tick === stop) {
      liquidity += candidate.net
      index += 1
    }
    tick = stop
  }
  return bought
}
