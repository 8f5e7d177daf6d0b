import { createHash } from 'node:crypto'
import { CronExpressionParser } from 'cron-parser'
import { assert } from '../../core/assert.ts'
import { hourMs } from '../../core/spans.ts'
import type { Schedule } from '../strategy/index.ts'
import { zoneOffsets } from './zoneOffsets.ts'

/** Clocks were never put forward by more at once, but where a zone left out a whole day. */
const gapMsMax = 3 * hourMs

/** The slots strictly after an instant, in order. All instants are milliseconds since the epoch. */
export function* slots(schedule: Schedule, after: number): Generator<number, never> {
  if (schedule.kind === 'every') {
    // Aligned to the epoch, so that a restart does not shift them.
    const period = schedule.seconds * 1_000
    assert(Number.isInteger(period) && period > 0, 'a period is a whole number of milliseconds')
    for (let slot = (Math.floor(after / period) + 1) * period; ; slot += period) yield slot
  }
  // cron-parser knows the calendar, and nothing of clocks that change: it misses the rare folds.
  const offsets = offsetsOf(schedule.timeZone)
  const start = after + Math.min(...offsets.around(after)) - gapMsMax
  const calendar = CronExpressionParser.parse(schedule.expression, {
    tz: 'UTC',
    currentDate: start - 1,
  })
  const isByTheHour = calendar.fields.hour.values.length === 24
  let pending: number[] = []
  for (;;) {
    const wall = calendar.next().getTime()
    const earliest = wall - Math.max(...offsets.around(wall))
    const ready = pending.filter((slot) => slot < earliest)
    if (ready.length > 0) {
      pending = pending.filter((slot) => slot >= earliest)
      for (const slot of new Set(ready.sort((a, b) => a - b))) if (slot > after) yield slot
    }
    pending.push(...instantsOf(wall, { offsets, isByTheHour }))
  }
}

type Offsets = ReturnType<typeof zoneOffsets>

const offsetsByZone = new Map<string, Offsets>()

function offsetsOf(zone: string): Offsets {
  const offsets = offsetsByZone.get(zone) ?? zoneOffsets(zone)
  offsetsByZone.set(zone, offsets)
  return offsets
}

/**
 * When the clocks show a time. One that they show twice counts the first time, and one that they leave out comes as much
 * later as they are put forward. A calendar of every hour goes by time itself: both count, and what is left out is not.
 */
function instantsOf(
  wall: number,
  { offsets, isByTheHour }: { readonly offsets: Offsets; readonly isByTheHour: boolean },
): readonly number[] {
  const [only = 0, ...others] = offsets.around(wall)
  if (others.length === 0) return [wall - only]
  const meant = [only, ...others].map((offset) => wall - offset).sort((a, b) => a - b)
  const shown = meant.filter((at) => offsets.offsetAt(at) === wall - at)
  if (isByTheHour) return shown
  // In the gap no instant shows it: what it would be by the clocks of before is later by all that is left out.
  return [shown[0] ?? meant.at(-1) ?? wall - only]
}

type Stretch = { readonly after: number; readonly slot: number }

/** Stretches without a slot, of each schedule those that were found last. */
const stretches = new WeakMap<Schedule, readonly Stretch[]>()
const stretchesMax = 4

/**
 * The first slot strictly after an instant, in milliseconds since the epoch. Monitors and pages request it again and
 * again between two slots of a calendar: what lies in a stretch that is known has its answer.
 */
export function nextSlot(schedule: Schedule, after: number): number {
  if (schedule.kind === 'every') return slots(schedule, after).next().value
  const known = stretches.get(schedule) ?? []
  const found = known.find((one) => one.after <= after && after < one.slot)
  if (found !== undefined) return found.slot
  const slot = slots(schedule, after).next().value
  stretches.set(schedule, [{ after, slot }, ...known].slice(0, stretchesMax))
  return slot
}

/** How far back is looked first; where that is not far enough, eight times as far, and so on. */
const firstLookMs = hourMs

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
