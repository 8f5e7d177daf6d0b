import { setImmediate as turn } from 'node:timers/promises'
import type { Clock } from '../../src/core/clock.ts'

type Sleeper = { readonly until: number; readonly wake: () => void }

/** Time that stands still but for its steps. Milliseconds since the epoch. */
export function virtualClock(start: number): Clock & { stepTo(milliseconds: number): void } {
  let now = start
  const sleepers = new Set<Sleeper>()
  return {
    now: () => now,
    async sleep(milliseconds, signal) {
      signal?.throwIfAborted()
      if (milliseconds <= 0) return await turn()
      await new Promise<void>((resolve, reject) => {
        const forget = () => {
          sleepers.delete(sleeper)
          signal?.removeEventListener('abort', end)
        }
        const end = () => {
          forget()
          reject(signal?.reason)
        }
        const wake = () => {
          forget()
          resolve()
        }
        const sleeper = { until: now + milliseconds, wake }
        sleepers.add(sleeper)
        signal?.addEventListener('abort', end, { once: true })
      })
    },
    /** Wakes whoever has slept long enough, in the order in which they are due. Never back. */
    stepTo(milliseconds) {
      now = Math.max(now, milliseconds)
      const due = [...sleepers].filter(({ until }) => until <= now)
      for (const { wake } of due.sort((a, b) => a.until - b.until)) wake()
    },
  }
}
