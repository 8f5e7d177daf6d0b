import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { BallastError } from '../../core/errors.ts'
import { lockHolder } from './lockHolder.ts'

/**
 * Lets one process at a time spend from a journal: an exclusive lock on a small file beside it.
 *
 * The system drops the lock with the process, however that ends, so there is nothing stale to clean up;
 * its number is left in a small file too, for people; and the journal itself stays readable for `status` and `history`.
 */
export function lockJournal(path: string): { release(): void } {
  mkdirSync(dirname(path), { recursive: true })
  const holder = lockHolder(path)
  const file = new DatabaseSync(`${path}.lock`)
  try {
    file.exec('PRAGMA locking_mode = EXCLUSIVE')
    file.exec('BEGIN EXCLUSIVE')
  } catch (cause) {
    file.close()
    throw new BallastError('Another process is already spending from this journal.', {
      code: 'JOURNAL_LOCKED',
      remedy: 'halt',
      fault: 'locked',
      facts: {
        journal: path,
        holder: holder === undefined ? undefined : `process ${holder}`,
        next: 'stop that process, or let it finish what it began: ballast drain',
      },
      cause,
    })
  }
  // Beside the lock, not in it: reading a locked file and closing it again would drop this process's own lock.
  const pidFile = `${path}.pid`
  try {
    writeFileSync(pidFile, `${process.pid}\n`)
  } catch (error) {
    file.close()
    throw error
  }
  return {
    release() {
      rmSync(pidFile, { force: true })
      file.close()
    },
  }
}
