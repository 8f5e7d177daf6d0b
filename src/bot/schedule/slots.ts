import { createHash } from 'node:crypto'
import { CronExpressionParser } from 'cron-parser'
import { assert } from '../../core/assert.ts'
import type { Schedule } from '../strategy/index.ts'

/**
 * cron-parser moves a slot of the hour that summer time skips to the hour after, but only when it comes from before
 * that hour; from within, it leaves the slot out. A start this much earlier gives the same instants from any start, so
 * a restart neither loses nor repeats a slot.
 */
const leadMs = 3 * 3_600_000

/** The slots strictly after an instant, in order. All instants are milliseconds since the epoch. */
export function* slots(schedule: Schedule, after: number): Generator<number, never> {
  if (schedule.kind === 'every') {
    // Aligned to the epoch, so that a restart does not shift them.
    const period = schedule.seconds * 1_000
    assert(Number.isInteger(period) && period > 0, 'a period is a whole number of milliseconds')
    for (let slot = (Math.floor(after / period) + 1) * period; ; slot += period) yield slot
  }
  const calendar = CronExpressionParser.parse(schedule.expression, {
    tz: schedule.timeZone,
    currentDate: after - leadMs,
  })
  for (;;) {
    const slot = calendar.next().getTime()
    if (slot > after) yield slot
  }
}

/**
 * The first slot strictly after an instant, in milliseconds since the epoch.
 *
 * A daily slot in the hour that summer time skips comes one hour later; in the hour that is repeated it comes once,
 * the first time.
 */
export function nextSlot(schedule: Schedule, after: number): number {
  return slots(schedule, after).next().value
}

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

/** The last slot after `after` and not after `now`; undefined when none is due. However many were missed. */
export function latestSlot(
  schedule: Schedule,
  { after, now }: { readonly after: number; readonly now: number },
): number | undefined {
  return latestSlots(schedule, { after, until: now, count: 1 })[0]
}

/** The number of bytes used of the hash: a double still holds them exactly. */
const bytes = 6

/**
 * By how many milliseconds a slot of a strategy is put off: from nothing to all of `seconds`, each equally likely, and
 * after a restart the same as before it.
 */
export function jitterOf(name: string, slot: number, seconds: number): number {
  assert(seconds >= 0 && Number.isFinite(seconds), 'a jitter is a time')
  if (seconds === 0) return 0
  const hash = createHash('sha256').update(`${slot}:${name}`).digest().readUIntBE(0, bytes)
  return Math.floor((hash / 2 ** (8 * bytes)) * (Math.floor(seconds * 1_000) + 1))
}

/**
 * The due time of a slot: the slot and its jitter, which ends before the slot that follows, however long it may be. So
 * no jitter changes the order of slots. Milliseconds since the epoch.
 */
export function dueAt(
  { name, schedule }: { readonly name: string; readonly schedule: Schedule },
  { slot, following }: { readonly slot: number; readonly following: number },
): number {
  const { jitter = 0 } = schedule
  return slot + jitterOf(name, slot, Math.min(jitter, (following - slot - 1) / 1_000))
}
