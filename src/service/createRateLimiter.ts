import type { Clock } from '../core/clock.ts'

/** Requests per second on average, and the number at once after a pause. */
export type RateLimit = { readonly perSecond: number; readonly burst: number }

export type RateLimiter = {
  /** Takes one request from a caller's allowance. Undefined: granted; otherwise the milliseconds until there is one. */
  take(who: string): number | undefined
  /** Number of callers remembered; for tests and metrics. */
  readonly size: number
}

/** A forgotten caller starts with a full allowance, so this is generous; each costs about a hundred bytes. */
const rememberedMax = 20_000

/**
 * A token bucket for each caller, kept as one number: the time at which the bucket is full again.
 *
 * Memory is bounded: the caller silent for the longest is forgotten first, and by then its bucket is full unless twenty
 * thousand others sent requests in the meantime.
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
      // A clock that was set back must not lock a caller out for the difference.
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
