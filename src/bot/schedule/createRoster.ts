import { isDeepStrictEqual } from 'node:util'
import TinyQueue from 'tinyqueue'
import { assert } from '../../core/assert.ts'
import type { Clock } from '../../core/clock.ts'
import { createCalendar } from './createCalendar.ts'
import { createPeriod } from './createPeriod.ts'
import { afterUnrecorded, type Entry, overTimetable, type Timetable } from './timetable.ts'

/** Timers break beyond 24 days, and the machine's clock may be set while one runs: look again this often. */
const sleepMsMax = 60_000

/** An entry on its way. It is in the queue, or it is busy; never both. */
export type Job<entry> = {
  entry: entry
  order: number
  timetable: Timetable
  isBusy: boolean
  isRemoved: boolean
  /** Its timetable has ended: at most what is unrecorded of it is left. */
  isOver: boolean
  /** What became of the entry while it was busy, in order: it takes effect when it no longer is, from then on. */
  changes: Change<entry>[]
}

/** The entry that takes another's place, or undefined where it is gone; and since when. */
type Change<entry> = { readonly entry: entry | undefined; readonly at: number }

export type Roster<entry extends Entry> = ReturnType<typeof createRoster<entry>>

/** The jobs of a schedule by the names of their entries: those that wait for their instant, and those that are busy. */
export function createRoster<entry extends Entry>(entries: readonly entry[], clock: Clock) {
  const jobs = new Map<string, Job<entry>>()
  const queue = createQueue<entry>(clock)
  let seen = clock.now()

  /** Reads the time. When the clock was set back, it takes every entry back as well. */
  function look(): number {
    const now = clock.now()
    if (now < seen) {
      for (const job of jobs.values()) if (!job.isBusy) job.timetable.setBack(now)
      sortAgain()
    }
    seen = now
    return now
  }

  const sortAgain = () => queue.refill([...jobs.values()].filter(({ isBusy }) => !isBusy))

  /** Back into the queue, as what it is to be from now on. */
  function release(job: Job<entry>, now: number): void {
    job.isBusy = false
    job.timetable.setBack(now)
    for (const { entry, at: instant } of job.changes) {
      // The clock may have been set back since.
      const at = Math.min(instant, now)
      if (entry === undefined) end(job, at)
      else succeed(job, { entry, at, now })
    }
    job.changes = []
    if (isDone(job)) jobs.delete(job.entry.name)
    else queue.push(job)
  }

  function add(entry: entry, order: number, after: number | undefined): void {
    const timetable = timetableOf(entry, { after, now: seen })
    const flags = { isBusy: false, isRemoved: false, isOver: false }
    jobs.set(entry.name, { entry, order, timetable, ...flags, changes: [] })
  }

  /**
   * Other entries from now on. One of the same name goes on where it is; with another calendar it begins now, and what
   * was due on the old one and not closed is missed. A new one begins now; one that is gone ends with its tick, and what
   * was due on it is missed likewise.
   */
  function replace(others: readonly entry[]): void {
    assertNames(others)
    const now = look()
    const named = new Set(others.map(({ name }) => name))
    for (const [name, job] of jobs) {
      if (named.has(name)) continue
      if (job.isBusy) change(job, { entry: undefined, at: now })
      else end(job, now)
      if (isDone(job)) jobs.delete(name)
    }
    for (const [order, entry] of others.entries()) {
      const job = jobs.get(entry.name)
      if (job === undefined) {
        add(entry, order, beginOf(entry, now))
        continue
      }
      job.order = order
      if (job.isBusy) change(job, { entry, at: now })
      else succeed(job, { entry, at: now, now })
    }
    sortAgain()
  }

  assertNames(entries)
  for (const [order, entry] of entries.entries()) add(entry, order, entry.after)
  sortAgain()
  const { takeDue, sleep, wake } = queue
  return { look, takeDue, sleep, wake, release, replace }
}

type Queued<entry> = { readonly at: number; readonly job: Job<entry> }

/** The jobs that wait, by instant, and one sleeper for the first of them. */
function createQueue<entry>(clock: Clock) {
  let queue = new TinyQueue<Queued<entry>>([], byInstant)
  let nap: { readonly until: number; readonly end: () => void } | undefined
  return {
    /** These wait, and no others. */
    refill(waiting: readonly Job<entry>[]): void {
      queue = new TinyQueue(waiting.map(queued), byInstant)
      nap?.end()
    },
    push(job: Job<entry>): void {
      const item = queued(job)
      queue.push(item)
      if (nap !== undefined && item.at < nap.until) nap.end()
    },
    /** Takes what is due out of the queue. */
    takeDue(now: number): readonly Job<entry>[] {
      const due: Job<entry>[] = []
      for (let first = queue.peek(); first !== undefined && first.at <= now; first = queue.peek()) {
        first.job.isBusy = true
        due.push(first.job)
        queue.pop()
      }
      return due
    },
    /** Until the first job is due, or until woken. */
    async sleep(now: number): Promise<void> {
      const until = Math.min(queue.peek()?.at ?? Number.POSITIVE_INFINITY, now + sleepMsMax)
      const ending = new AbortController()
      nap = { until, end: () => ending.abort() }
      try {
        await clock.sleep(until - now, ending.signal)
      } catch (error) {
        if (!ending.signal.aborted) throw error
      } finally {
        nap = undefined
      }
    },
    wake: () => nap?.end(),
  }
}

const queued = <entry>(job: Job<entry>): Queued<entry> => ({ at: job.timetable.at(), job })

const byInstant = (one: { readonly at: number }, other: { readonly at: number }) =>
  one.at - other.at

/** An entry that takes another's place at an instant, which may be a while ago. */
type Succession<entry> = { readonly entry: entry; readonly at: number; readonly now: number }

function succeed<entry extends Entry>(
  job: Job<entry>,
  { entry, at, now }: Succession<entry>,
): void {
  const { schedule } = job.entry
  const { isOver } = job
  job.entry = entry
  job.isRemoved = false
  job.isOver = false
  if (!isOver && isDeepStrictEqual(schedule, entry.schedule)) return
  const { after, unrecorded } = job.timetable.retire(entry.schedule, at)
  // Where it was gone, what went by of its calendar meanwhile is not its own.
  const begin = isOver ? beginOf(entry, at) : after
  job.timetable = afterUnrecorded(timetableOf(entry, { after: begin, now }), unrecorded)
}

/** Nothing of it is due any more. What was due and not closed is put on record before it is forgotten. */
function end<entry extends Entry>(job: Job<entry>, at: number): void {
  job.isOver = true
  job.timetable = afterUnrecorded(overTimetable, job.timetable.retire(undefined, at).unrecorded)
}

/** Gone, with nothing left to record. */
const isDone = <entry>({ isBusy, isOver, timetable }: Job<entry>): boolean =>
  !isBusy && isOver && timetable.at() === Number.POSITIVE_INFINITY

/** Never before what is closed already: it may have been one of ours not long ago. */
const beginOf = ({ after }: Entry, at: number): number => Math.max(at, after ?? at)

function change<entry>(job: Job<entry>, change: Change<entry>): void {
  job.isRemoved = change.entry === undefined
  job.changes.push(change)
}

function timetableOf(
  { name, schedule, isNew }: Entry,
  { after, now }: { readonly after: number | undefined; readonly now: number },
): Timetable {
  return schedule.kind === 'every'
    ? createPeriod({ name, schedule }, { now })
    : createCalendar({ name, schedule, isNew }, { after, now })
}

function assertNames(entries: readonly Entry[]): void {
  const names = new Set(entries.map(({ name }) => name))
  assert(names.size === entries.length, 'entries go by their names')
}
