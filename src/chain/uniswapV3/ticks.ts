import type { PoolState, RatioAt } from './poolState.ts'

/** Distance of usable ticks, by fee in hundredths of a basis point. Uniswap's own table; a factory may have more. */
export const spacingOf = { 100: 1, 500: 10, 3000: 60, 10000: 200 } as const

/** Ticks per word of the pool's bitmap, in units of its spacing. */
export const ticksPerWord = 256

/**
 * Where a falling price stops next: at the initialised tick `candidate`, or at the end of the bitmap word.
 *
 * The pool looks one word ahead at a time and rounds at every stop, also where nothing is initialised. To jump to the
 * next initialised tick would quote some wei too many.
 */
export function stopBelow(tick: number, candidate: number | undefined, spacing: number): number {
  const compressed = Math.floor(tick / spacing)
  const wordEnd = Math.floor(compressed / ticksPerWord) * ticksPerWord * spacing
  return candidate !== undefined && candidate > wordEnd ? candidate : wordEnd
}

/** Where a rising price stops next. */
export function stopAbove(tick: number, candidate: number | undefined, spacing: number): number {
  const compressed = Math.floor(tick / spacing) + 1
  const wordStart = Math.floor(compressed / ticksPerWord) * ticksPerWord
  const wordEnd = (wordStart + ticksPerWord - 1) * spacing
  return candidate !== undefined && candidate < wordEnd ? candidate : wordEnd
}

/** Number of initialised ticks that are not above a tick. */
export function countUpTo({ ticks }: PoolState, tick: number): number {
  let low = 0
  let high = ticks.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ticks[middle]?.tick ?? 0) <= tick) low = middle + 1
    else high = middle
  }
  return low
}

/** The ends of a v3 pool's prices: 2^-128 and 2^128. */
export const tickMax = 887_272

/** √(1.0001^tick) in Q64.96, rounded up, to the bit as the pools compute it. */
export function sqrtRatioAtTick(tick: number): bigint {
  let distance = tick < 0 ? -tick : tick
  let ratio = 1n << 128n
  for (let bit = 0; distance > 0; bit += 1, distance >>>= 1)
    if ((distance & 1) === 1) ratio = (ratio * (factors[bit] ?? 0n)) >> 128n
  if (tick > 0) ratio = (2n ** 256n - 1n) / ratio
  return (ratio + 0xffffffffn) >> 32n
}

/** 1 / √1.0001^(2^bit) in Q128.128. */
const factors = [
  0xfffcb933bd6fad37aa2d162d1a594001n,
  0xfff97272373d413259a46990580e213an,
  0xfff2e50f5f656932ef12357cf3c7fdccn,
  0xffe5caca7e10e4e61c3624eaa0941cd0n,
  0xffcb9843d60f6159c9db58835c926644n,
  0xff973b41fa98c081472e6896dfb254c0n,
  0xff2ea16466c96a3843ec78b326b52861n,
  0xfe5dee046a99a2a811c461f1969c3053n,
  0xfcbe86c7900a88aedcffc83b479aa3a4n,
  0xf987a7253ac413176f2b074cf7815e54n,
  0xf3392b0822b70005940c7a398e4b70f3n,
  0xe7159475a2c29b7443b29c7fa6e889d9n,
  0xd097f3bdfd2022b8845ad8f792aa5825n,
  0xa9f746462d870fdf8a65dc1f90e061e5n,
  0x70d869a156d2a1b890bb3df62baf32f7n,
  0x31be135f97d08fd981231505542fcfa6n,
  0x9aa508b5b7a84e1c677de54f3e99bc9n,
  0x5d6af8dedb81196699c329225ee604n,
  0x2216e584f5fa1ea926041bedfe98n,
  0x48a170391f7dc42444e8fa2n,
]

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
