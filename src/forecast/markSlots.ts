import { CronExpressionParser } from 'cron-parser'
import type { Cron } from '../bot/strategy/index.ts'
import type { ClockChange, Zone } from './createZone.ts'

type Marked = {
  readonly zone: Zone
  /** All slots of the window, in order. */
  readonly slots: readonly number[]
}

/**
 * What a change of the clocks does to the slots of a calendar: a sentence for each slot it concerns, and for the first
 * one after it in any case. The slots are those that run; this only says why they are where they are.
 */
export function markSlots({ expression }: Cron, marked: Marked): ReadonlyMap<number, string> {
  const { zone, slots } = marked
  const [first, last] = [slots[0], slots.at(-1)]
  if (first === undefined || last === undefined) return new Map()
  const window = { from: first - dayMs, until: last + dayMs }
  const { hour, minute } = CronExpressionParser.parse(expression).fields
  const isWritten = (slot: number) => {
    const wall = new Date(slot + zone.offsetAt(slot))
    const has = (values: readonly unknown[], value: number) => values.some((one) => one === value)
    return has(hour.values, wall.getUTCHours()) && has(minute.values, wall.getUTCMinutes())
  }
  const marks = new Map<number, string>()
  for (const change of zone.changes(window)) {
    const ofHour =
      change.after > change.before
        ? skipped(change, { slots, isWritten })
        : repeated(change, { slots })
    for (const [slot, mark] of ofHour) marks.set(slot, mark)
    const next = slots.find((slot) => slot >= change.at)
    if (next !== undefined && next - change.at < dayMs * 7 && !marks.has(next))
      marks.set(next, `DST: clocks ${way(change)} between this slot and the one before.`)
  }
  return marks
}

const dayMs = 86_400_000

/** Slots that were written in the hour that does not exist. */
function skipped(
  change: ClockChange,
  { slots, isWritten }: { slots: readonly number[]; isWritten: (slot: number) => boolean },
): readonly (readonly [number, string])[] {
  const gap = change.after - change.before
  return slots
    .filter((slot) => slot >= change.at && slot < change.at + gap && !isWritten(slot))
    .map((slot) => {
      const wanted = timeOf(slot + change.before)
      return [slot, `DST: clocks ${way(change)}; ${wanted} does not exist, the slot is moved here.`]
    })
}

/** Slots in the hour that comes twice. */
function repeated(
  change: ClockChange,
  { slots }: { slots: readonly number[] },
): readonly (readonly [number, string])[] {
  const gap = change.before - change.after
  return slots
    .filter((slot) => slot >= change.at - gap && slot < change.at + gap)
    .flatMap((slot): readonly (readonly [number, string])[] => {
      const isFirst = slot < change.at
      const wall = timeOf(slot + (isFirst ? change.before : change.after))
      const twin = slots.includes(isFirst ? slot + gap : slot - gap)
      if (twin && isFirst) return []
      const what = twin
        ? `${wall} comes again, and so does the slot`
        : `${wall} comes twice, the slot only once`
      return [[slot, `DST: clocks ${way(change)}; ${what}.`]]
    })
}

const way = ({ before, after }: ClockChange) => (after > before ? 'go forward' : 'go back')

/** Of an instant already moved by its offset: `02:30`. */
const timeOf = (wall: number) => new Date(wall).toISOString().slice(11, 16)
