import { setTimeout as delay } from 'node:timers/promises'

/** The only source of time. Passed in, so that tests decide what time it is. */
export type Clock = {
  /** Wall clock, milliseconds since the epoch. For deadlines compare with the chain's time as well. */
  now(): number
  /** Waits; ends early with a rejection when the signal aborts. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>
}

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (milliseconds, signal) => {
    await delay(milliseconds, undefined, signal === undefined ? {} : { signal })
  },
}

/** Milliseconds that only rise, whatever is done to the machine's time: for how long ago something was, never for when. */
export const monotonic = (): number => performance.now()
