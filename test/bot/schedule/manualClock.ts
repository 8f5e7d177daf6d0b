import type { Clock } from '../../../src/core/clock.ts'

type Sleeper = { readonly until: number; readonly wake: () => void }

/**
 * A clock that stands still until it is moved; moving it wakes every sleeper on its way, in order.
 * As on a real machine, a sleep is not shortened or prolonged when the wall clock is set.
 */
export function manualClock(start: number): Clock & {
  /** Time passes. */
  readonly moveTo: (instant: number) => Promise<void>
  /** The wall clock is set, or the machine was suspended. */
  readonly setTo: (instant: number) => Promise<void>
} {
  let uptime = 0
  let offset = start
  let sleepers: Sleeper[] = []

  const settle = async () => {
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
  }

  return {
    now: () => offset + uptime,
    sleep: (milliseconds, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted === true) return reject(signal.reason)
        signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
        sleepers.push({ until: uptime + milliseconds, wake: resolve })
      }),
    async moveTo(instant) {
      await settle()
      for (;;) {
        const first = Math.min(...sleepers.map(({ until }) => until))
        if (first > instant - offset) break
        uptime = first
        const due = sleepers.filter(({ until }) => until <= uptime)
        sleepers = sleepers.filter(({ until }) => until > uptime)
        for (const { wake } of due) wake()
        await settle()
      }
      uptime = instant - offset
    },
    async setTo(instant) {
      await settle()
      offset = instant - uptime
    },
  }
}
