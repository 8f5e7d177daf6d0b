import { createSchedule } from '../../../src/bot/schedule/createSchedule.ts'
import type {
  Entry,
  Missed,
  MissedReason,
  TurnEnd,
  Unrecorded,
} from '../../../src/bot/schedule/timetable.ts'
import type { Clock } from '../../../src/core/clock.ts'
import { manualClock } from './manualClock.ts'

/** What a test makes of a tick; saying nothing closes the slot. */
type Work<entry> = (entry: entry, slot: number, clock: Clock) => Promise<TurnEnd | undefined>

/** A schedule that runs on a clock which is moved by hand, and what it asked, recorded and reported. */
export function startSchedule<entry extends Entry>(
  entries: readonly entry[],
  from: number,
  {
    work = async () => undefined,
    record = async () => {},
  }: {
    readonly work?: Work<entry>
    readonly record?: (missed: Missed, unrecorded: Unrecorded) => Promise<void>
  } = {},
) {
  const clock = manualClock(from)
  const abort = new AbortController()
  /** Name, slot and when it was asked for. */
  const asks: [name: string, slot: string, at: string][] = []
  const missed: [name: string, from: string, to: string, count: number, reason: MissedReason][] = []
  const errors: [unknown, name: string, slot: string][] = []
  const schedule = createSchedule<entry>({
    entries,
    clock,
    signal: abort.signal,
    async tick(entry, slot) {
      asks.push([entry.name, iso(slot), iso(clock.now())])
      return (await work(entry, slot, clock)) ?? 'closed'
    },
    async onMissed(entry, unrecorded) {
      const { missed: run, reason } = unrecorded
      await record(run, unrecorded)
      missed.push([entry.name, iso(run.from), iso(run.to), run.count, reason])
    },
    onError: (error, entry, slot) => errors.push([error, entry.name, iso(slot)]),
  })
  const ended = schedule.run()
  return {
    clock,
    asks,
    missed,
    errors,
    ended,
    replace: schedule.replace,
    /** The slots of one entry that were asked for. */
    slotsOf: (name: string) => asks.filter(([one]) => one === name).map(([, slot]) => slot),
    abort: () => abort.abort(),
    stop: async () => {
      abort.abort()
      await ended
    },
  }
}

/** `2026-05-04T09:00:00Z`, with milliseconds only where there are any. */
function iso(instant: number): string {
  return new Date(instant).toISOString().replace('.000Z', 'Z')
}
