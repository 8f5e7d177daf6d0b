import type { Clock } from '../../core/clock.ts'
import { createRoster, type Job, type Roster } from './createRoster.ts'
import type { Entry, TurnEnd, Unrecorded } from './timetable.ts'

type Ports<entry> = {
  readonly clock: Clock
  readonly signal: AbortSignal
  /**
   * Called in order, without waiting for the tick before: entries that share a wallet queue up behind this. `closed` only
   * when that is on record, for it is what `after` will be at the next start. One that throws was hindered.
   */
  readonly tick: (entry: entry, slot: number) => Promise<TurnEnd>
  /** Puts calendar slots on record as missed, which closes them. Called again later when it throws. */
  readonly onMissed: (entry: entry, unrecorded: Unrecorded) => Promise<void>
  /** Called with every tick and every record that threw. Throwing itself, it ends the schedule. */
  readonly onError: (error: unknown, entry: entry, slot: number) => void
}

/**
 * Calls `tick` for every entry at its slots. One queue and one sleeper: an instant costs as much as is due at it.
 *
 * An entry never overlaps itself; entries do not wait for each other. Entries that are due at one instant go by
 * priority, then by slot, then in the order of the configuration. A period leaves out past slots; every slot of a
 * calendar ends closed or missed, once, in order, over restarts too: see `createCalendar`.
 */
export function createSchedule<entry extends Entry>({
  entries,
  ...ports
}: Ports<entry> & { readonly entries: readonly entry[] }) {
  const { clock, signal, onMissed, onError } = ports
  const roster = createRoster(entries, clock)
  const turns = createTurns(roster, ports)

  /** Puts on record what was missed; true when there was any, and then all of it is looked at again. */
  async function record(due: readonly Job<entry>[], now: number): Promise<boolean> {
    const waiting = due.flatMap((job) => {
      const unrecorded = job.timetable.missed(now)
      return unrecorded === undefined ? [] : [{ job, unrecorded }]
    })
    if (waiting.length === 0) return false
    for (const { job, unrecorded } of waiting) {
      if (turns.areOver()) break
      try {
        await onMissed(job.entry, unrecorded)
        job.timetable.markRecorded(unrecorded)
      } catch (error) {
        onError(error, job.entry, unrecorded.missed.to)
        job.timetable.retryLater(roster.look())
      }
    }
    const after = roster.look()
    for (const job of due) roster.release(job, after)
    return true
  }

  /** Runs until the signal aborts, and then waits for the ticks that run. */
  async function run(): Promise<void> {
    signal.addEventListener('abort', roster.wake)
    try {
      while (!turns.areOver()) {
        const now = roster.look()
        const due = roster.takeDue(now)
        if (due.length === 0) await roster.sleep(now)
        else if (!(await record(due, now))) turns.handOut(due, now)
      }
    } finally {
      signal.removeEventListener('abort', roster.wake)
      await turns.ended()
    }
    turns.throwFailure()
  }

  return { run, replace: roster.replace }
}

type Turn<entry> = { readonly job: Job<entry>; readonly slot: number }

/** The ticks that run, and what ended the schedule. */
function createTurns<entry extends Entry>(
  roster: Roster<entry>,
  { signal, tick, onError }: Ports<entry>,
) {
  const running = new Set<Promise<void>>()
  let failure: { readonly error: unknown } | undefined

  const areOver = () => signal.aborted || failure !== undefined

  async function take({ job, slot }: Turn<entry>): Promise<void> {
    let outcome: TurnEnd = 'open'
    if (!job.isRemoved && !areOver())
      try {
        outcome = await tick(job.entry, slot)
      } catch (error) {
        outcome = 'hindered'
        onError(error, job.entry, slot)
      }
    const now = roster.look()
    job.timetable.ended(outcome, now)
    roster.release(job, now)
  }

  return {
    /** No turn begins any more: the signal has aborted, or `onError` has thrown. */
    areOver,
    handOut(due: readonly Job<entry>[], now: number): void {
      const claimed: Turn<entry>[] = []
      for (const job of due) {
        const slot = job.timetable.claim(now)
        if (slot === undefined) roster.release(job, now)
        else claimed.push({ job, slot })
      }
      for (const turn of claimed.sort(byPriority)) {
        const work = take(turn).catch((error: unknown) => {
          failure ??= { error }
          roster.wake()
        })
        running.add(work)
        void work.then(() => running.delete(work))
      }
    },
    ended: () => Promise.all(running),
    throwFailure(): void {
      if (failure !== undefined) throw failure.error
    },
  }
}

function byPriority<entry extends Entry>(one: Turn<entry>, other: Turn<entry>): number {
  const [mine, theirs] = [one.job.entry.priority ?? 0, other.job.entry.priority ?? 0]
  return theirs - mine || one.slot - other.slot || one.job.order - other.job.order
}
