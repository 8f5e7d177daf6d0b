import { divideUp } from '../../core/decimal.ts'
import type { PoolState, RatioAt } from './poolState.ts'
import { countUpTo, stopAbove, stopBelow } from './ticks.ts'

/** The yield of selling token0 to a pool, to the wei. Undefined when the depth that was read ends before. */
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

/** The yield of selling token1. */
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

/** Between two prices, the lower one first: what a pool pays out is rounded down, what it takes is rounded up. */
type Range = { readonly low: bigint; readonly high: bigint; readonly liquidity: bigint }

/** Token0 that lies between two prices. */
function amount0Down({ low, high, liquidity }: Range): bigint {
  return ((liquidity << 96n) * (high - low)) / high / low
}

function amount0Up({ low, high, liquidity }: Range): bigint {
  return divideUp(divideUp((liquidity << 96n) * (high - low), high), low)
}

/** Token1 that lies between two prices. */
function amount1Down({ low, high, liquidity }: Range): bigint {
  return (liquidity * (high - low)) >> 96n
}

function amount1Up({ low, high, liquidity }: Range): bigint {
  return divideUp(liquidity * (high - low), 1n << 96n)
}

/** Fees are in millionths. */
export const feeScale = 1_000_000n

/** A swap along one stretch of equal liquidity. `taken` includes the fee. */
type Step = { readonly price: bigint; readonly taken: bigint; readonly paid: bigint }

type StepInput = {
  readonly price: bigint
  readonly target: bigint
  readonly liquidity: bigint
  readonly amount: bigint
  readonly fee: bigint
}

/** Sells token0 from a price down to at most `target`, as `SwapMath.computeSwapStep` does. */
export function stepDown({ price, target, liquidity, amount, fee }: StepInput): Step {
  const needed = amount0Up({ low: target, high: price, liquidity })
  const net = (amount * (feeScale - fee)) / feeScale
  const next = net >= needed ? target : priceAfter0(price, liquidity, net)
  return {
    price: next,
    taken: next === target ? withFee(needed, fee) : amount,
    paid: amount1Down({ low: next, high: price, liquidity }),
  }
}

/** Sells token1 from a price up to at most `target`. */
export function stepUp({ price, target, liquidity, amount, fee }: StepInput): Step {
  const needed = amount1Up({ low: price, high: target, liquidity })
  const net = (amount * (feeScale - fee)) / feeScale
  const next = net >= needed ? target : price + (net << 96n) / liquidity
  return {
    price: next,
    taken: next === target ? withFee(needed, fee) : amount,
    paid: amount0Down({ low: price, high: next, liquidity }),
  }
}

const withFee = (net: bigint, fee: bigint) => net + divideUp(net * fee, feeScale - fee)

const word = 1n << 256n

/** Rounded up, so that the pool never pays too much. Beyond 256 bits the pools take a coarser formula. */
function priceAfter0(price: bigint, liquidity: bigint, amount: bigint): bigint {
  if (amount === 0n) return price
  const numerator = liquidity << 96n
  const product = amount * price
  return product < word && numerator + product < word
    ? divideUp(numerator * price, numerator + product)
    : divideUp(numerator, numerator / price + amount)
}
