import type { Clock } from '../../core/clock.ts'
import type { Schedule } from '../strategy/index.ts'
import { latestSlot } from './latestSlot.ts'
import { nextSlot } from './nextSlot.ts'

/** Something to be asked by a schedule. */
export type Entry = {
  readonly schedule: Schedule
  /** The last cron slot it was asked for, as the journal has it: one missed since then is made up for. */
  readonly after?: number | undefined
}

/** Timers break beyond 24 days, and the machine's clock may be set while one runs: look again this often. */
const sleepMsMax = 60_000

type Ports<entry> = {
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly tick: (entry: entry, slot: number) => Promise<void>
  readonly onError: (error: unknown, entry: entry, slot: number) => void
}

/**
 * Asks every entry at its slots, until the signal aborts.
 *
 * An entry never overlaps itself; entries do not wait for each other. There is no burst after a pause: slots of a
 * period that went by are left out, and of the calendar slots that went by only the latest is asked for.
 * A tick that fails is reported and the next slot comes. After an abort it still waits for the ticks that run.
 */
export async function runSchedule<entry extends Entry>({
  entries,
  ...ports
}: Ports<entry> & { readonly entries: readonly entry[] }): Promise<void> {
  const failed = new AbortController()
  const signal = AbortSignal.any([ports.signal, failed.signal])
  const running = entries.map((entry) => runEntry(entry, { ...ports, signal }))
  try {
    await Promise.all(running)
  } catch (error) {
    failed.abort()
    await Promise.allSettled(running)
    throw error
  }
}

async function runEntry<entry extends Entry>(entry: entry, ports: Ports<entry>): Promise<void> {
  const { clock, signal, tick, onError } = ports
  const { schedule } = entry
  let after = schedule.kind === 'cron' ? (entry.after ?? clock.now()) : clock.now()
  for (;;) {
    const slot = await due(schedule, { after, clock, signal })
    if (slot === undefined) return
    try {
      await tick(entry, slot)
    } catch (error) {
      onError(error, entry, slot)
    }
    after = schedule.kind === 'cron' ? slot : Math.max(slot, clock.now() - 1)
  }
}

/** Waits for the next slot and returns it, or the latest one where several went by; undefined after an abort. */
async function due(
  schedule: Schedule,
  {
    after,
    clock,
    signal,
  }: { readonly after: number; readonly clock: Clock; readonly signal: AbortSignal },
): Promise<number | undefined> {
  let from = after
  while (!signal.aborted) {
    const now = clock.now()
    // A clock that was set back must not silence a period until it has caught up; a calendar slot is never repeated.
    if (schedule.kind === 'every' && from > now + schedule.seconds * 1_000) from = now
    const next = nextSlot(schedule, from)
    if (next <= now) return latestSlot(schedule, { after: next - 1, now })
    try {
      await clock.sleep(Math.min(next - now, sleepMsMax), signal)
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }
  return undefined
}
