import type { PoolState } from './poolState.ts'

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

/** How many of the initialised ticks are not above a tick. */
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
