import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '../../src/core/clock.ts'

/** Where virtual time is, and how fast it goes: two processes of one machine agree on it. Milliseconds. */
export type Pace = { readonly real: number; readonly virtual: number; readonly rate: number }

/** The machine's time, of one origin for every process. */
const machineMs = () => performance.timeOrigin + performance.now()

/** No real wait is longer, so that a change of pace is never slept over. */
const napMsMax = 5

/** Time that goes as fast as it is told to, and never back. */
export function virtualClock(start: Pace): Clock & {
  pace(): Pace
  follow(pace: Pace): void
  setRate(rate: number): Pace
} {
  let pace = start
  let latest = start.virtual
  const now = () => {
    latest = Math.max(latest, Math.floor(pace.virtual + (machineMs() - pace.real) * pace.rate))
    return latest
  }
  return {
    now,
    async sleep(milliseconds, signal) {
      const until = now() + milliseconds
      for (;;) {
        signal?.throwIfAborted()
        const left = (until - now()) / pace.rate
        if (left <= 0) return
        await delay(Math.min(left, napMsMax), undefined, signal === undefined ? {} : { signal })
      }
    },
    pace: () => pace,
    follow(next) {
      pace = next
    },
    setRate(rate) {
      pace = { real: machineMs(), virtual: now(), rate }
      return pace
    },
  }
}

/** Virtual time that begins as the machine's. */
export const paceNow = (rate: number): Pace => ({ real: machineMs(), virtual: Date.now(), rate })
