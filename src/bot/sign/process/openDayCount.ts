import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Clock } from '../../../core/clock.ts'
import { display } from '../../../core/display.ts'
import { type BallastError, ballastError } from '../../../core/errors.ts'
import {
  type CountedSignature,
  countedBy,
  countedSignature,
  type DayLimits,
  type Spend,
} from './dayLimits.ts'
import { checkDirectory } from './listenPrivately.ts'

/** The signatures of the last 24 hours, durable before any of them leaves. */
export type DayCount = {
  /** Counts a signature and returns when it is on disk; refuses one beyond the limits. */
  count(spend: Spend, limits: DayLimits): void
  close(): void
}

/**
 * Opens the append-only file of signatures, for this process alone.
 *
 * A signature is counted before it is made, and stays counted: a swap that never reaches the chain uses up its part of
 * the day. A clock that was set back forgets nothing.
 */
export function openDayCount({ file, clock }: { file: string; clock: Clock }): DayCount {
  checkDirectory(dirname(file))
  const lock = lockFor(file)
  try {
    const { O_RDWR, O_CREAT, O_APPEND } = constants
    const descriptor = openSync(file, O_RDWR | O_CREAT | O_APPEND, 0o600)
    const entries = read(descriptor, file)
    syncDirectory(dirname(file))
    let sound = true
    return {
      count(spend, limits) {
        if (!sound) throw uncounted(file)
        const added = countedBy(spend, { entries, now: clock.now(), limits })
        sound = false
        try {
          assertInPlace(descriptor, file)
          append(descriptor, added)
        } catch (cause) {
          throw uncounted(file, cause)
        }
        sound = true
        entries.push(added)
      },
      close() {
        closeSync(descriptor)
        lock.close()
      },
    }
  } catch (error) {
    lock.close()
    throw error
  }
}

/** Another file under this name would be the count of the next start. */
function assertInPlace(descriptor: number, file: string): void {
  const [ours, named] = [fstatSync(descriptor), statSync(file)]
  if (ours.dev !== named.dev || ours.ino !== named.ino)
    throw new Error('the file was replaced while it was in use')
}

/** After a write that was torn nothing may follow it: what the file holds then is read again at the next start. */
function append(descriptor: number, added: CountedSignature): void {
  const line = Buffer.from(`${JSON.stringify(added)}\n`)
  if (writeSync(descriptor, line) !== line.length)
    throw new Error('the signature was not counted whole')
  fsyncSync(descriptor)
}

function read(descriptor: number, file: string): CountedSignature[] {
  if ((fstatSync(descriptor).mode & 0o077) !== 0)
    throw broken('The file of counted signatures is open to other users: run chmod 600 on it.', {
      file,
    })
  const text = readFileSync(descriptor, 'utf8')
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  // A line without its end was never synced to its end either, so its signature was never given.
  if (whole.length < text.length) {
    ftruncateSync(descriptor, Buffer.byteLength(whole))
    fsyncSync(descriptor)
  }
  return whole
    .split('\n')
    .slice(0, -1)
    .map((line, index) => {
      try {
        return countedSignature.parse(JSON.parse(line))
      } catch {
        throw broken(
          'The file of counted signatures is damaged: nothing is signed until you have looked at it.',
          {
            file,
            line: index + 1,
          },
        )
      }
    })
}

/** The system drops the lock with the process, however that ends. */
function lockFor(file: string): DatabaseSync {
  try {
    const lock = new DatabaseSync(`${file}.lock`)
    lock.exec('BEGIN EXCLUSIVE')
    return lock
  } catch (cause) {
    throw ballastError(
      'SIGNER_RUNNING',
      'Another signer counts in this file, or it cannot be written.',
      { file },
      cause,
    )
  }
}

function syncDirectory(directory: string): void {
  const descriptor = openSync(directory, 'r')
  fsyncSync(descriptor)
  closeSync(descriptor)
}

function broken(summary: string, facts: Readonly<Record<string, string | number>>): BallastError {
  return ballastError('SIGNER_COUNT_BROKEN', summary, facts)
}

/** The file may hold half a line from then on, which the next start reads and takes away. */
function uncounted(file: string, cause?: unknown): BallastError {
  const why = cause instanceof Error ? ` (${display(cause.message)})` : ''
  return broken(
    `A signature could not be counted${why}: nothing more is signed until the signer is started again.`,
    { file },
  )
}
