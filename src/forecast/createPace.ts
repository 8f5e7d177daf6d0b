import { slots } from '../bot/schedule/slots.ts'
import type { Schedule } from '../bot/strategy/index.ts'

/** Which slot of one strategy is looked at next. Instants are milliseconds since the epoch. */
export type Pace = {
  /** Undefined when the window is over. */
  next(): number | undefined
  /**
   * Where slots are about to be left out, finds the first of them at which something else would come, and makes it the
   * next: strategies are called in the order of time. `isQuiet` only looks: nothing is done.
   */
  search(isQuiet: (at: number) => Promise<boolean>): Promise<void>
  /** It was called at `at`; `quiet` when nothing came of it that had not come before. */
  advance(at: number, quiet: boolean): void
  /** From this instant on something is different that it may react to. */
  wake(from: number): void
  /** It had its share: it is not called any more. */
  stop(): void
  /** Slots that were due so far; of a period, all of the window. */
  count(): number
  /** The last slot that was called, where it was stopped before the window was over. */
  plannedUntil(): number | undefined
}

type Window = { readonly after: number; readonly until: number }

/** Every slot of a calendar; of a period fewer and fewer, as long as nothing changes. */
export function createPace(schedule: Schedule, window: Window): Pace {
  return schedule.kind === 'cron'
    ? calendar(schedule, window)
    : period(schedule.seconds * 1_000, window)
}

function calendar(schedule: Schedule, { after, until }: Window): Pace {
  const all = slots(schedule, after)
  let asked = 0
  let last = after
  let next = all.next().value
  let stopped = false
  const isDue = () => !stopped && next <= until
  return {
    next: () => (isDue() ? next : undefined),
    search: async () => {},
    advance(at) {
      asked += 1
      last = at
      next = all.next().value
    },
    wake: () => {},
    stop() {
      stopped = true
    },
    count: () => asked,
    plannedUntil: () => (stopped && next <= until ? last : undefined),
  }
}

/** A window gets at least this number of looks: a change that begins and ends between two may be missed. */
const looksMin = 250

/**
 * Prices stand still in a plan, so a strategy that waits goes on waiting until time itself changes its mind: the steps
 * double, up to a limit, and what has changed in between is found by halving.
 */
function period(step: number, { after, until }: Window): Pace {
  const slotAt = (at: number) => Math.floor(at / step)
  const [first, end] = [slotAt(after) + 1, slotAt(until)]
  const strideMax = Math.max(1, Math.floor((end - first) / looksMin))
  /** Slots by their number since the epoch. Up to `known` nothing new came. */
  let known = first - 1
  let next = first
  let stride = 1
  let stopped = false
  const isDue = () => !stopped && next <= end
  return {
    next: () => (isDue() ? next * step : undefined),
    async search(isQuiet) {
      if (next > end || next - known <= 1 || (await isQuiet(next * step))) return
      let [low, high] = [known, next]
      while (high - low > 1) {
        const middle = Math.floor((low + high) / 2)
        if (await isQuiet(middle * step)) low = middle
        else high = middle
      }
      next = high
    },
    advance(at, quiet) {
      known = slotAt(at)
      stride = quiet ? Math.min(stride * 2, strideMax) : 1
      // The last slot of the window is looked at in any case.
      next = known >= end ? end + 1 : Math.min(known + stride, end)
    },
    wake(from) {
      next = Math.min(next, Math.max(Math.ceil(from / step), known + 1))
      // The time before it is over: nothing is searched for there any more.
      known = next - 1
    },
    stop() {
      stopped = true
    },
    count: () => Math.max(0, end - first + 1),
    plannedUntil: () => (stopped && next <= end ? known * step : undefined),
  }
}
