import type { Clock } from '../../src/core/clock.ts'

/** A clock that stands until it is told to go on: whoever sleeps wakes with the next step. */
export function steppingClock(): { readonly clock: Clock; step(times?: number): Promise<void> } {
  let now = Date.UTC(2026, 0, 1)
  let sleepers: { readonly milliseconds: number; wake(): void }[] = []
  return {
    clock: {
      now: () => now,
      sleep: (milliseconds, signal) =>
        new Promise((wake, refuse) => {
          signal?.addEventListener('abort', () => refuse(signal.reason), { once: true })
          sleepers.push({ milliseconds, wake })
        }),
    },
    async step(times = 1) {
      for (let count = 0; count < times; count += 1) {
        const woken = sleepers
        sleepers = []
        now += Math.max(0, ...woken.map(({ milliseconds }) => milliseconds))
        for (const { wake } of woken) wake()
        // Whatever they do until they sleep again is done when the queue of microtasks is empty.
        await new Promise((done) => setImmediate(done))
      }
    },
  }
}
