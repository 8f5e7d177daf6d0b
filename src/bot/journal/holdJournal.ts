import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type Kysely, sql } from 'kysely'
import type { Clock } from '../../core/clock.ts'
import { type BallastError, ballastError } from '../../core/errors.ts'
import type { Address } from '../../core/token.ts'
import { openDatabase } from './schema/openDatabase.ts'
import { type Database, unwritable } from './store/database.ts'
import { busy, primaryCode } from './store/openSqlite.ts'
import { type Fence, type LeaseTimes, serverNow, takeLease } from './store/postgres/takeLease.ts'
import type { Tables } from './store/tables.ts'

/** The right to spend from a journal. Every writer is given the `fence`; a file needs none, the system guards it. */
export type Hold = { readonly fence: Fence | undefined; release(): Promise<void> }

/** Lets one process at a time spend from a journal; others may read, and lock. Throws JOURNAL_LOCKED where one does. */
export async function holdJournal({
  database,
  chainId,
  wallet,
  clock,
  times,
}: {
  database: Database
  chainId: number
  wallet: Address
  clock: Clock
  times?: LeaseTimes
}): Promise<Hold> {
  if (database.dialect === 'sqlite') {
    const lock = lockJournal(database.path)
    return { fence: undefined, release: async () => lock.release() }
  }
  // The lease is a row of the journal: the tables exist before the first holder.
  await (await openDatabase(database)).destroy()
  return takeLease({ url: database.url, chainId, wallet, clock, times })
}

/**
 * Lets one process at a time spend from a journal: an exclusive lock on a small file beside it.
 *
 * The system drops the lock with the process, however that ends, so there is nothing stale to clean up;
 * its number is left in a small file too, for people; and the journal itself stays readable for `status` and `history`.
 */
export function lockJournal(path: string): { release(): void } {
  const holder = lockHolder(path)
  const file = takeLock(`${path}.lock`, (cause) =>
    ballastError(
      'JOURNAL_LOCKED',
      'Another process is already spending from this journal.',
      {
        journal: path,
        holder: holder === undefined ? undefined : `process ${holder}`,
        next: 'stop that process, or let it finish what it began: ballast drain',
      },
      cause,
    ),
  )
  // Beside the lock, not in it: reading a locked file and closing it again would drop this process's own lock.
  const pidFile = `${path}.pid`
  try {
    writeFileSync(pidFile, `${process.pid}\n`)
  } catch (error) {
    file.close()
    throw unwritable(path, error)
  }
  return {
    release() {
      rmSync(pidFile, { force: true })
      file.close()
    },
  }
}

/** An exclusive lock on a small file, until that is closed. `taken` is thrown where another holds it. */
export function takeLock(path: string, taken: (cause: unknown) => BallastError): DatabaseSync {
  const file = openLock(path)
  try {
    file.exec('PRAGMA locking_mode = EXCLUSIVE')
    file.exec('BEGIN EXCLUSIVE')
    return file
  } catch (cause) {
    file.close()
    throw primaryCode(cause) === busy ? taken(cause) : unwritable(path, cause)
  }
}

function openLock(path: string): DatabaseSync {
  try {
    mkdirSync(dirname(path), { recursive: true })
    return new DatabaseSync(path)
  } catch (cause) {
    throw unwritable(path, cause)
  }
}

/** When the holder took the journal, in milliseconds since the epoch; undefined where none holds it. */
export function heldSince(path: string): number | undefined {
  return lockHolder(path) === undefined
    ? undefined
    : statSync(`${path}.pid`, { throwIfNoEntry: false })?.mtimeMs
}

/**
 * The process that spends from the journal: the one that `lockJournal` named beside it, where that is still there.
 *
 * For people to read. The lock is what keeps a second process out, and a number may be given to another process.
 */
export function lockHolder(path: string): number | undefined {
  try {
    const pid = Number(readFileSync(`${path}.pid`, 'utf8'))
    if (!Number.isSafeInteger(pid) || pid <= 0) return undefined
    process.kill(pid, 0)
    return pid
  } catch {
    // No file, no such process, or a process of another user: there is none to signal. Nothing depends on it.
    return undefined
  }
}

/** The process that spends from a journal on a server, as host and number; undefined where none does. */
export async function leaseHolder(
  db: Kysely<Tables>,
  { dialect }: Database,
): Promise<string | undefined> {
  if (dialect === 'sqlite') return undefined
  const row = await db
    .selectFrom('wallet_lease')
    .select('holder')
    .where('expires_at', '>', sql.raw<number>(serverNow))
    .executeTakeFirst()
  return row?.holder
}
