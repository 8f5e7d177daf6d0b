/** Between two prices, the lower one first: what a pool pays out is rounded down, what it takes is rounded up. */
type Range = { readonly low: bigint; readonly high: bigint; readonly liquidity: bigint }

/** Token0 that lies between two prices. */
export function amount0Down({ low, high, liquidity }: Range): bigint {
  return ((liquidity << 96n) * (high - low)) / high / low
}

export function amount0Up({ low, high, liquidity }: Range): bigint {
  return divideUp(divideUp((liquidity << 96n) * (high - low), high), low)
}

/** Token1 that lies between two prices. */
export function amount1Down({ low, high, liquidity }: Range): bigint {
  return (liquidity * (high - low)) >> 96n
}

export function amount1Up({ low, high, liquidity }: Range): bigint {
  return divideUp(liquidity * (high - low), 1n << 96n)
}

export const divideUp = (dividend: bigint, divisor: bigint) => (dividend + divisor - 1n) / divisor
