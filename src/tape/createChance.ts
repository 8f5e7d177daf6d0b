import { mulberry32 } from '../core/random.ts'

/** What is drawn for: draws for one thing do not move those for another. */
const purposes = ['look', 'quote', 'which', 'fade', 'delay'] as const
type Purpose = (typeof purposes)[number]

/**
 * Seeded chance by name: the same slot of the same strategy meets the same trouble, whatever else is changed between two
 * replays. That makes the rows of a grid comparable.
 */
export function createChance(seed: number) {
  return function chance(
    purpose: Purpose,
    { strategy, slot, attempt }: { strategy: number; slot: number; attempt: number },
  ): number {
    const seconds = Math.floor(slot / 1_000)
    let mixed = seed >>> 0
    for (const key of [
      purposes.indexOf(purpose),
      strategy,
      attempt,
      seconds,
      Math.floor(seconds / 2 ** 32),
    ]) {
      mixed = Math.imul(mixed ^ key ^ (mixed >>> 15), 0x85ebca6b)
      mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
    }
    return mulberry32(mixed)()
  }
}
