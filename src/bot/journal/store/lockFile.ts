import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { BallastError } from '../../../core/errors.ts'
import { fileBehind } from './fileBehind.ts'
import { giveToFolder, makeFolder, shareWithFolder } from './giveToFolder.ts'
import { busy, primaryCode } from './sqliteCode.ts'

export type FileLock = { release(): void }

type Terms = {
  /** What people read beside the number of the process; nothing: ''. */
  readonly holds: string
  /** The refusals, with the failure of SQLite or of the disk. */
  readonly locked: (cause: unknown) => BallastError
  readonly unwritable: (cause: unknown) => BallastError
}

/**
 * Lets one process at a time go on: an exclusive lock on a small file, `path` with `.lock`.
 *
 * The system drops the lock with the process, however that ends, so there is nothing stale to clean up;
 * its number is left in a small file too, for people.
 */
export function lockFile(path: string, { holds, locked, unwritable }: Terms): FileLock {
  const file = openLock(path, unwritable)
  try {
    // What is written below goes nowhere: no journal of it is left beside the lock where the process is killed.
    file.exec('PRAGMA journal_mode = MEMORY')
    file.exec('PRAGMA locking_mode = EXCLUSIVE')
    file.exec('BEGIN EXCLUSIVE')
    // A file that this account may only read is opened all the same, and its lock keeps nobody out: a write fails there.
    file.exec('PRAGMA user_version = 1')
  } catch (cause) {
    file.close()
    throw primaryCode(cause) === busy ? locked(cause) : unwritable(cause)
  }
  // Beside the lock, not in it: reading a locked file and closing it again would drop this process's own lock.
  const pidFile = pidFileOf(path)
  try {
    // One that a command of root left behind could not be written over.
    rmSync(pidFile, { force: true })
    writeFileSync(pidFile, `${process.pid}\n${holds}`)
    giveToFolder(pidFile)
  } catch (cause) {
    file.close()
    throw unwritable(cause)
  }
  const behind = fileBehind(path)
  own.add(behind)
  return {
    release() {
      own.delete(behind)
      rmSync(pidFile, { force: true })
      file.close()
    },
  }
}

/** Beside the file that a link leads to, like the number. */
export const lockOf = (path: string): string => `${fileBehind(path)}.lock`

/** Beside the file that a link leads to: whoever names that itself finds the same lock. */
export const pidFileOf = (path: string): string => `${fileBehind(path)}.pid`

/** The locks of this process. */
const own = new Set<string>()

/** Whether this process has the lock. */
export const ownsLock = (path: string): boolean => own.has(fileBehind(path))

function openLock(path: string, unwritable: Terms['unwritable']): DatabaseSync {
  try {
    makeFolder(dirname(path))
    const name = lockOf(path)
    begin(name)
    // Who looks whether it is held has it for a moment.
    return new DatabaseSync(name, { timeout: 500 })
  } catch (cause) {
    throw unwritable(cause)
  }
}

/** A new lock, for all accounts that may write its folder: those that cannot share it cannot take it either. */
function begin(name: string): void {
  if (existsSync(name)) return
  try {
    closeSync(openSync(name, 'wx', 0o644))
  } catch (error) {
    // Another process made it meanwhile, or a link is there, whose file SQLite makes.
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return
    throw error
  }
  giveToFolder(name)
  shareWithFolder(name)
}

/** What has a lock. The number is undefined where it cannot be read. */
export type Holder = { readonly pid: number | undefined; readonly holds: string | undefined }

/**
 * The process that has a lock, and what it holds; undefined where there is none, `unknown` where this account may try neither
 * the lock nor the process.
 *
 * For people and monitors to read. The lock decides: a number may be of another container, or of another process after a
 * restart of the machine, and in a container, where numbers are small, most readily of the one that reads.
 */
export function lookAtLock(path: string): Holder | 'unknown' | undefined {
  const named = readNumber(path)
  if (ownsLock(path)) return named ?? nameless
  const held = isHeld(path)
  if (held !== undefined) return held ? (named ?? nameless) : undefined
  if (named?.pid !== undefined && isThere(named.pid)) return named
  return named !== undefined && (named.pid === undefined || existsSync(lockOf(path)))
    ? 'unknown'
    : undefined
}

/** The same, for a message: undefined as well where it is not known. */
export function readHolder(path: string): Holder | undefined {
  const found = lookAtLock(path)
  return found === 'unknown' ? undefined : found
}

const nameless: Holder = { pid: undefined, holds: undefined }

/** What `lockFile` left for people; undefined where there is nothing, nameless where this account may not read it. */
function readNumber(path: string): Holder | undefined {
  try {
    const [number, holds] = readFileSync(pidFileOf(path), 'utf8').split('\n')
    const pid = Number(number)
    return Number.isSafeInteger(pid) && pid > 0 ? { pid, holds } : undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? nameless : undefined
  }
}

/** Whether a process of this number is there, other than this one, which has no lock here. */
function isThere(pid: number): boolean {
  if (pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // A process of another account, which this one may not signal.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Whether another process has the lock; undefined where that cannot be tried. */
function isHeld(path: string): boolean | undefined {
  try {
    const file = new DatabaseSync(lockOf(path), { readOnly: true, timeout: 0 })
    try {
      file.prepare('SELECT count(*) FROM sqlite_master').get()
      return false
    } finally {
      file.close()
    }
  } catch (error) {
    return primaryCode(error) === busy ? true : undefined
  }
}
