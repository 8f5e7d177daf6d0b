import { amount0Down, amount0Up, amount1Down, amount1Up, divideUp } from './amountDeltas.ts'

/** Fees are in millionths. */
export const feeScale = 1_000_000n

/** A swap along one stretch of equal liquidity. `taken` includes the fee. */
export type Step = { readonly price: bigint; readonly taken: bigint; readonly paid: bigint }

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
