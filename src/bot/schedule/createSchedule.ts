import { isDeepStrictEqual } from 'node:util'
import TinyQueue from 'tinyqueue'
import { assert } from '../../core/assert.ts'
import type { Clock } from '../../core/clock.ts'
import { createCalendar } from './createCalendar.ts'
import { createPeriod } from './createPeriod.ts'
import {
  afterUnrecorded,
  type Entry,
  type Missed,
  type MissedReason,
  type Timetable,
  type TurnEnd,
} from './timetable.ts'

/** Timers break beyond 24 days, and the machine's clock may be set while one runs: look again this often. */
const sleepMsMax = 60_000

type Ports<entry> = {
  readonly clock: Clock
  readonly signal: AbortSignal
  /**
   * Called in order, without waiting for the tick before: entries that share a wallet queue up behind this. `closed` only
   * when that is on record, for it is what `after` will be at the next start. One that throws leaves its slot open.
   */
  readonly tick: (entry: entry, slot: number) => Promise<TurnEnd>
  /** Puts calendar slots on record as missed, which closes them. Called again later when it throws. */
  readonly onMissed: (entry: entry, missed: Missed, reason: MissedReason) => Promise<void>
  /** Called with every tick and every record that threw. Throwing itself, it ends the schedule. */
  readonly onError: (error: unknown, entry: entry, slot: number) => void
}

/** An entry on its way. It is in the queue, or it is busy; never both. */
type Job<entry> = {
  entry: entry
  order: number
  timetable: Timetable
  isBusy: boolean
  isRemoved: boolean
  /** The entry that takes this one's place when it is no longer busy. */
  successor: entry | undefined
}

/**
 * Calls `tick` for every entry at its slots. One queue and one sleeper: an instant costs as much as is due at it.
 *
 * An entry never overlaps itself; entries do not wait for each other. Entries that are due at one instant go by
 * priority, then by slot, then in the order of the configuration. A period leaves out past slots; every slot of a
 * calendar ends closed or missed, once, in order, over restarts too: see {@link createCalendar}.
 */
export function createSchedule<entry extends Entry>({
  entries,
  clock,
  signal,
  tick,
  onMissed,
  onError,
}: Ports<entry> & { readonly entries: readonly entry[] }) {
  const jobs = new Map<string, Job<entry>>()
  const running = new Set<Promise<void>>()
  let queue = new TinyQueue<Queued<entry>>([], byInstant)
  let seen = clock.now()
  let failure: { readonly error: unknown } | undefined
  let nap: { readonly until: number; readonly end: () => void } | undefined

  const isStopped = () => signal.aborted || failure !== undefined

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

  function sortAgain(): void {
    const waiting = [...jobs.values()].filter(({ isBusy }) => !isBusy)
    queue = new TinyQueue(waiting.map(queued), byInstant)
    nap?.end()
  }

  /** Takes what is due out of the queue. */
  function takeDue(now: number): readonly Job<entry>[] {
    const due: Job<entry>[] = []
    for (let first = queue.peek(); first !== undefined && first.at <= now; first = queue.peek()) {
      first.job.isBusy = true
      due.push(first.job)
      queue.pop()
    }
    return due
  }

  /** Back into the queue, as what it is to be from now on. */
  function release(job: Job<entry>, now: number): void {
    job.isBusy = false
    if (job.isRemoved) {
      jobs.delete(job.entry.name)
      return
    }
    job.timetable.setBack(now)
    if (job.successor !== undefined) succeed(job, job.successor, now)
    const item = queued(job)
    queue.push(item)
    if (nap !== undefined && item.at < nap.until) nap.end()
  }

  /** Puts on record what was missed; true when there was any, and then all of it is looked at again. */
  async function record(due: readonly Job<entry>[], now: number): Promise<boolean> {
    const waiting = due.flatMap((job) => {
      const unrecorded = job.timetable.missed(now)
      return unrecorded === undefined ? [] : [{ job, unrecorded }]
    })
    if (waiting.length === 0) return false
    for (const { job, unrecorded } of waiting) {
      if (isStopped()) break
      try {
        await onMissed(job.entry, unrecorded.missed, unrecorded.reason)
        job.timetable.markRecorded(unrecorded)
      } catch (error) {
        onError(error, job.entry, unrecorded.missed.to)
        job.timetable.retryLater(look())
      }
    }
    const after = look()
    for (const job of due) release(job, after)
    return true
  }

  function handOut(due: readonly Job<entry>[], now: number): void {
    const asks: Ask<entry>[] = []
    for (const job of due) {
      const slot = job.timetable.claim(now)
      if (slot === undefined) release(job, now)
      else asks.push({ job, slot })
    }
    for (const { job, slot } of asks.sort(byPriority)) {
      const work = ask(job, slot).catch((error: unknown) => {
        failure ??= { error }
        nap?.end()
      })
      running.add(work)
      void work.then(() => running.delete(work))
    }
  }

  async function ask(job: Job<entry>, slot: number): Promise<void> {
    let outcome: TurnEnd = 'open'
    if (!job.isRemoved && !isStopped())
      try {
        outcome = await tick(job.entry, slot)
      } catch (error) {
        onError(error, job.entry, slot)
      }
    const now = look()
    job.timetable.ended(outcome, now)
    release(job, now)
  }

  async function sleep(now: number): Promise<void> {
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
  }

  function succeed(job: Job<entry>, entry: entry, now: number): void {
    const { schedule } = job.entry
    job.entry = entry
    job.successor = undefined
    if (isDeepStrictEqual(schedule, entry.schedule)) return
    const { after, unrecorded } = job.timetable.retire(entry.schedule, now)
    const timetable = timetableOf(entry, { after, now })
    job.timetable = afterUnrecorded(timetable, unrecorded)
  }

  function add(entry: entry, order: number, after: number | undefined): void {
    const timetable = timetableOf(entry, { after, now: seen })
    const job = { entry, order, timetable, isBusy: false, isRemoved: false, successor: undefined }
    jobs.set(entry.name, job)
  }

  /**
   * Other entries from now on. One of the same name goes on where it is; with another calendar it begins now, and what
   * was due on the old one and not closed is missed. A new one begins now; one that is gone ends with its tick.
   */
  function replace(others: readonly entry[]): void {
    assertNames(others)
    const now = look()
    for (const job of jobs.values()) job.isRemoved = true
    for (const [order, entry] of others.entries()) {
      const job = jobs.get(entry.name)
      // Never before what is closed already: it may have been one of ours not long ago.
      if (job === undefined) add(entry, order, Math.max(now, entry.after ?? now))
      else {
        job.isRemoved = false
        job.order = order
        if (job.isBusy) job.successor = entry
        else succeed(job, entry, now)
      }
    }
    for (const [name, job] of jobs) if (job.isRemoved && !job.isBusy) jobs.delete(name)
    sortAgain()
  }

  /** Runs until the signal aborts, and then waits for the ticks that run. */
  async function run(): Promise<void> {
    const stop = () => nap?.end()
    signal.addEventListener('abort', stop)
    try {
      while (!isStopped()) {
        const now = look()
        const due = takeDue(now)
        if (due.length === 0) await sleep(now)
        else if (!(await record(due, now))) handOut(due, now)
      }
    } finally {
      signal.removeEventListener('abort', stop)
      await Promise.all(running)
    }
    if (failure !== undefined) throw failure.error
  }

  assertNames(entries)
  for (const [order, entry] of entries.entries()) add(entry, order, entry.after)
  sortAgain()
  return { run, replace }
}

type Queued<entry> = { readonly at: number; readonly job: Job<entry> }
type Ask<entry> = { readonly job: Job<entry>; readonly slot: number }

const queued = <entry>(job: Job<entry>): Queued<entry> => ({ at: job.timetable.at(), job })

const byInstant = (one: { readonly at: number }, other: { readonly at: number }) =>
  one.at - other.at

function byPriority<entry extends Entry>(one: Ask<entry>, other: Ask<entry>): number {
  const [mine, theirs] = [one.job.entry.priority ?? 0, other.job.entry.priority ?? 0]
  return theirs - mine || one.slot - other.slot || one.job.order - other.job.order
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
