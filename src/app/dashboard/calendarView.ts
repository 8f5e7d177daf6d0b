import { slots } from '../../bot/schedule/slots.ts'
import { zoneOffsets } from '../../bot/schedule/zoneOffsets.ts'
import type { Cron } from '../../bot/strategy/index.ts'
import { isoText } from '../../core/isoText.ts'
import { dayMs } from '../../core/spans.ts'
import type { CalendarDay, CalendarView } from '../../dashboard/views.ts'
import { midnightIn } from '../../story/month/monthSpan.ts'
import type { Served } from './served.ts'

/** Slots of runs, and slots to come, that a page walks through for one strategy: of a calendar by the minute not a month. */
const walkedMax = 1_500

/** A month of one zone: what was done, missed and failed on each day, and what is planned. */
export async function calendarMonth(served: Served, month: string): Promise<CalendarView> {
  const { journal, strategies, config, clock } = served
  const { timeZone } = config.dashboard
  const [year = 0, number = 0] = month.split('-').map(Number)
  const starts = daysOf(timeZone, { year, month: number })
  const [since = 0, until = 0] = [starts[0], starts.at(-1)]
  const days = new Map<number, Map<string, CalendarDay['strategies'][number]>>()
  const entryAt = (at: number, strategy: string) => {
    const day = starts.findLastIndex((start) => start <= at)
    const ofDay = days.get(day) ?? new Map()
    days.set(day, ofDay)
    const entry = ofDay.get(strategy) ?? { ...nothing, strategy }
    ofDay.set(strategy, entry)
    return entry as { -readonly [key in keyof typeof nothing]: number }
  }
  for (const { at, strategy, count } of await journal.swaps.countSettled({ since, until }))
    entryAt(at, strategy).settled += count
  let isCut = false
  for (const { name, schedule } of strategies()) {
    if (schedule.kind !== 'cron') continue
    for (const { at, state, count } of await journal.slots.counted({
      strategy: name,
      since,
      until,
    }))
      if (state === 'done' || state === 'passed' || state === 'missed' || state === 'failed')
        entryAt(at, name)[state] += count
    let walked = 0
    for (const run of await journal.slots.runs({ strategy: name, since, until }))
      for (const slot of slotsBetween(schedule, { ...run, since, until })) {
        if (walked === walkedMax) {
          isCut = true
          break
        }
        walked += 1
        entryAt(slot, name)[run.state] += 1
      }
    let planned = 0
    for (const slot of slots(schedule, Math.max(clock.now(), since - 1))) {
      if (slot >= until) break
      if (planned === walkedMax) {
        isCut = true
        break
      }
      planned += 1
      entryAt(slot, name).planned += 1
    }
  }
  return {
    ...{ month, timeZone, isCut },
    today: dateIn(timeZone, clock.now()),
    days: starts.slice(0, -1).map((start, index) => ({
      date: dateIn(timeZone, start),
      from: isoText(start),
      strategies: [...(days.get(index)?.values() ?? [])].sort((a, b) =>
        a.strategy < b.strategy ? -1 : 1,
      ),
    })),
  }
}

/** The slots of a run that lie in the month. A calendar that is another one since is counted as it is now. */
function* slotsBetween(
  schedule: Cron,
  run: { slot: number; upto: number; since: number; until: number },
) {
  for (const slot of slots(schedule, Math.max(run.slot, run.since) - 1)) {
    if (slot > run.upto || slot >= run.until) return
    yield slot
  }
}

const nothing = { settled: 0, done: 0, passed: 0, missed: 0, failed: 0, planned: 0 }

/** The month of a zone that an instant is in, as `2026-11`. */
export const monthIn = (timeZone: string, at: number): string => dateIn(timeZone, at).slice(0, 7)

const dateIn = (timeZone: string, at: number): string =>
  isoText(at + zoneOffsets(timeZone).offsetAt(at)).slice(0, 10)

/** The first instant of each day of a month, and that of the next month behind them. */
function daysOf(
  timeZone: string,
  { year, month }: { readonly year: number; readonly month: number },
): readonly number[] {
  const wall = Date.UTC(year, month - 1, 1)
  const count = Math.round((Date.UTC(year, month, 1) - wall) / dayMs)
  return Array.from({ length: count + 1 }, (_, day) => midnightIn(wall + day * dayMs, timeZone))
}
