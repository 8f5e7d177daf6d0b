import type { Clock } from '../core/clock.ts'

/** So many requests per second on average, and so many at once after a pause. */
export type RateLimit = { readonly perSecond: number; readonly burst: number }

export type RateLimiter = {
  /** Takes one request from somebody's allowance. Undefined: granted; otherwise the milliseconds until there is one. */
  take(who: string): number | undefined
  /** How many are remembered; for tests and metrics. */
  readonly size: number
}

/** Whoever was forgotten starts with a full allowance, so this is generous; each costs about a hundred bytes. */
const rememberedMax = 20_000

/**
 * A token bucket for each caller, kept as one number: the time at which the bucket is full again.
 *
 * Memory is bounded: the caller who was not heard of for the longest is forgotten first, and by then its bucket is full
 * unless twenty thousand others asked in the meantime.
 */
export function createRateLimiter({
  perSecond,
  burst,
  clock,
}: RateLimit & { readonly clock: Clock }): RateLimiter {
  const intervalMs = 1_000 / perSecond
  const burstMs = intervalMs * burst
  const fullAt = new Map<string, number>()
  return {
    get size() {
      return fullAt.size
    },
    take(who) {
      const now = clock.now()
      const known = fullAt.get(who)
      // A clock that was set back must not lock anybody out for the difference.
      const from = known === undefined || known > now + burstMs ? now : Math.max(known, now)
      const waitMs = from + intervalMs - burstMs - now
      // Below a millisecond it is the rounding of the interval.
      if (waitMs > 1e-6) return Math.ceil(waitMs)
      fullAt.delete(who)
      fullAt.set(who, from + intervalMs)
      if (fullAt.size > rememberedMax) {
        const oldest = fullAt.keys().next()
        if (oldest.done !== true) fullAt.delete(oldest.value)
      }
      return undefined
    },
  }
}
