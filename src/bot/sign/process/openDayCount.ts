import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Clock } from '../../../core/clock.ts'
import { ballastError } from '../../../core/errors.ts'
import { dayMs } from '../../../core/spans.ts'
import { type CountedSignature, countedBy, type DayLimits, type Spend } from './dayLimits.ts'
import { checkDirectory } from './listenPrivately.ts'
import { openCountFile, uncounted } from './openCountFile.ts'

/** The signatures of the last 24 hours, durable before any of them leaves. */
export type DayCount = {
  /** Counts a signature and returns when it is on disk; refuses one beyond the limits. */
  count(spend: Spend, limits: DayLimits): void
  close(): void
}

/** The last ones are kept whatever the clock said: one that was set back since forgets nothing of them. */
const keptLast = 20_000
const keptMs = 2 * dayMs

/**
 * Opens the file of signatures, for this process alone.
 *
 * A signature is counted before it is made, and stays counted: a swap that never reaches the chain uses up its part of
 * the day. What no day can hold any more leaves the file now and then.
 */
export function openDayCount({ file, clock }: { file: string; clock: Clock }): DayCount {
  checkDirectory(dirname(file))
  const lock = lockFor(file)
  try {
    const { countFile, entries: read } = openCountFile(file)
    let entries = read
    let mostBefore = 2 * keptLast
    const thin = () => {
      if (entries.length < mostBefore) return
      const kept = worthKeeping(entries, clock.now())
      mostBefore = Math.max(2 * keptLast, 2 * kept.length)
      if (kept.length > entries.length / 2) return
      countFile.rewrite(kept)
      entries = kept
    }
    try {
      thin()
    } catch (cause) {
      countFile.close()
      throw uncounted(file, cause)
    }
    let sound = true
    return {
      count(spend, limits) {
        if (!sound) throw uncounted(file)
        const added = countedBy(spend, { entries, now: clock.now(), limits })
        sound = false
        try {
          countFile.append(added)
          entries.push(added)
          thin()
        } catch (cause) {
          throw uncounted(file, cause)
        }
        sound = true
      },
      close() {
        countFile.close()
        lock.close()
      },
    }
  } catch (error) {
    lock.close()
    throw error
  }
}

/** In the order in which they were counted: the last ones, and of the days before the earlier of now and the newest. */
function worthKeeping(entries: readonly CountedSignature[], now: number): CountedSignature[] {
  const newest = entries.reduce((most, { at }) => Math.max(most, at), 0)
  const since = Math.min(now, newest) - keptMs
  return entries.filter(({ at }, nth) => nth >= entries.length - keptLast || at > since)
}

/** The system drops the lock with the process, however that ends. */
function lockFor(file: string): DatabaseSync {
  try {
    const lock = new DatabaseSync(`${file}.lock`)
    lock.exec('PRAGMA journal_mode = MEMORY')
    lock.exec('BEGIN EXCLUSIVE')
    // The lock of a file that this account may only read keeps nobody out: a write fails there.
    lock.exec('PRAGMA user_version = 1')
    return lock
  } catch (cause) {
    throw ballastError(
      'SIGNER_RUNNING',
      'Another signer counts in this file, or it cannot be written.',
      { file, reason: (cause as Error).message },
      cause,
    )
  }
}
