import { CronExpressionParser } from 'cron-parser'
import { zoneOffsets } from '../bot/schedule/zoneOffsets.ts'
import type { Cron } from '../bot/strategy/index.ts'
import { dayMs, minuteMs } from '../core/spans.ts'

/** The clocks of one IANA time zone. Instants and offsets are milliseconds. */
export type Zone = {
  readonly name: string
  /** The amount its clocks are ahead of UTC. */
  offsetAt(at: number): number
  /** `Mon 4 Jan 2027 09:00 +01:00`; seconds only where there are some. */
  show(at: number): string
  /** Changes of its clocks after `from` and not after `until`, in order. */
  changes(window: { readonly from: number; readonly until: number }): readonly ClockChange[]
}

/** From `at` on its clocks are `after` ahead of UTC, `before` until then. */
type ClockChange = { readonly at: number; readonly before: number; readonly after: number }

/** Knows what the clocks of a zone show, and when they are changed. */
export function createZone(name: string): Zone {
  const { offsetAt } = zoneOffsets(name)
  return {
    name,
    offsetAt,
    show: (at) => textOf(at, offsetAt(at)),
    changes({ from, until }) {
      const found: ClockChange[] = []
      for (let start = from; start < until; start += dayMs) {
        const end = Math.min(start + dayMs, until)
        if (offsetAt(start) !== offsetAt(end)) found.push(changeBetween({ start, end, offsetAt }))
      }
      return found
    },
  }
}

function changeBetween({
  start,
  end,
  offsetAt,
}: {
  start: number
  end: number
  offsetAt: (at: number) => number
}): ClockChange {
  const [before, after] = [offsetAt(start), offsetAt(end)]
  let [low, high] = [Math.floor(start / minuteMs), Math.ceil(end / minuteMs)]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (offsetAt(middle * minuteMs) === before) low = middle
    else high = middle
  }
  return { at: high * minuteMs, before, after }
}

const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

function textOf(at: number, offset: number): string {
  const wall = new Date(at + offset)
  const two = (value: number) => String(value).padStart(2, '0')
  const seconds = wall.getUTCSeconds() === 0 ? '' : `:${two(wall.getUTCSeconds())}`
  const date = `${days[wall.getUTCDay()]} ${wall.getUTCDate()} ${months[wall.getUTCMonth()]} ${wall.getUTCFullYear()}`
  const ahead = Math.abs(offset) / minuteMs
  const sign = offset < 0 ? '-' : '+'
  return `${date} ${two(wall.getUTCHours())}:${two(wall.getUTCMinutes())}${seconds} ${sign}${two(Math.floor(ahead / 60))}:${two(ahead % 60)}`
}

type Marked = {
  readonly zone: Zone
  /** All slots of the window, in order. */
  readonly slots: readonly number[]
}

/**
 * The effect of a change of the clocks on the slots of a calendar: a sentence for each slot it concerns, and for the
 * first one after it in any case. The slots are those that run; this only states why they are where they are.
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
