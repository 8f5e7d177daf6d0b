import { waitMsMax } from '../../bot/journal/alerts/alerts.ts'
import type { Clock } from '../../core/clock.ts'
import { secondMs } from '../../core/spans.ts'
import type { Refusal } from './channel.ts'

const firstWaitMs = 5 * secondMs

/** How long a receiver that is away is left alone: for longer each time, an hour at most. */
export function createRest(clock: Pick<Clock, 'now'>) {
  let refusedInRow = 0
  let until = 0
  let askedUntil = 0
  return {
    isOn(): boolean {
      const left = until - clock.now()
      // By a clock that was set back, the wait would have no end.
      return left > 0 && left <= waitMsMax
    },
    /** How long an event waits that was refused after so many tries. */
    refused(tries: number, { retryAfterMs, isAway }: Refusal): number {
      const doubled =
        firstWaitMs * 2 ** Math.min(isAway ? Math.max(tries, refusedInRow) : tries, 20)
      const forMs = Math.min(waitMsMax, Math.max(doubled, retryAfterMs))
      if (!isAway) return forMs
      refusedInRow += 1
      until = clock.now() + forMs
      if (retryAfterMs > 0) askedUntil = clock.now() + Math.min(waitMsMax, retryAfterMs)
      return forMs
    },
    /** Since when, or from when on, what waits may be offered, where a receiver is back that was away. */
    taken(): number | undefined {
      if (refusedInRow === 0) return undefined
      refusedInRow = 0
      until = askedUntil
      return askedUntil
    },
  }
}
