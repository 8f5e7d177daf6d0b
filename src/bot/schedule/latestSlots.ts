import type { Schedule } from '../strategy/index.ts'
import { slots } from './slots.ts'

/** How far back is looked first; where that is not far enough, eight times as far, and so on. */
const firstLookMs = 3_600_000

/** The last few slots after `after` and not after `until`, in order. However many there were. */
export function latestSlots(
  schedule: Schedule,
  {
    after,
    until,
    count,
  }: { readonly after: number; readonly until: number; readonly count: number },
): readonly number[] {
  const startMs = schedule.kind === 'every' ? schedule.seconds * 1_000 * count : firstLookMs
  for (let backMs = startMs; ; backMs *= 8) {
    // Forwards from an earlier start: backwards, cron-parser sees other instants around a change of summer time.
    const from = Math.max(after, until - backMs)
    const found: number[] = []
    for (const slot of slots(schedule, from)) {
      if (slot > until) break
      found.push(slot)
      if (found.length > count) found.shift()
    }
    if (found.length === count || from === after) return found
  }
}
