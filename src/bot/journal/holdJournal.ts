import { accessSync, constants, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'
import type { Clock } from '../../core/clock.ts'
import { type BallastError, ballastError } from '../../core/errors.ts'
import type { Address } from '../../core/token.ts'
import { assertOnlyJournal } from './assertOnlyJournal.ts'
import { journalExists, openDatabase } from './schema/openDatabase.ts'
import { closedFile } from './store/closedFile.ts'
import { type Database, nextOfClosed, unwritable } from './store/database.ts'
import { makeFolder } from './store/giveToFolder.ts'
import {
  type FileLock,
  type Holder,
  lockFile,
  lockOf,
  lookAtLock,
  pidFileOf,
  readHolder,
} from './store/lockFile.ts'
import {
  type Fence,
  heldSinceOf,
  type LeaseTimes,
  leaseHolder,
  takeLease,
} from './store/postgres/takeLease.ts'
import type { Tables } from './store/tables.ts'

/** The right to spend from a journal. Every writer is given the `fence`; a file needs none, the system guards it. */
export type Hold = { readonly fence: Fence | undefined; release(): Promise<void> }

/** Lets one process at a time spend from a journal; others may read, and lock. Throws JOURNAL_LOCKED where one does. */
export async function holdJournal({
  database,
  chainId,
  wallet,
  stateFolder,
  clock,
  times,
}: {
  database: Database
  chainId: number
  wallet: Address
  /** Keeps the lock of the wallet; undefined on paper, which spends from no wallet. */
  stateFolder: string | undefined
  clock: Clock
  times?: LeaseTimes
}): Promise<Hold> {
  if (database.dialect === 'sqlite') {
    const { path } = database
    using taken = new DisposableStack()
    taken.adopt(lockJournal(path), (lock) => lock.release())
    if (stateFolder !== undefined)
      taken.adopt(lockWallet({ chainId, wallet, stateFolder, journal: path }), (lock) =>
        lock.release(),
      )
    const held = taken.move()
    return { fence: undefined, release: async () => held.dispose() }
  }
  // The lease is a row of the journal: the tables exist before the first holder. Those that exist are brought up to date
  // by who holds it: another version may still be at work on them.
  const owner = { database, chainId, wallet }
  if (stateFolder !== undefined) await assertOnlyJournal(owner)
  if (!(await journalExists(database))) await (await openDatabase(database)).destroy()
  const lease = await takeLease({ ...owner, clock, times })
  try {
    // Of two that begin at once in both places each sees the other's lease.
    if (stateFolder !== undefined) await assertOnlyJournal(owner)
    return lease
  } catch (error) {
    await lease.release()
    throw error
  }
}

/** Lets one process at a time spend from a journal in a file, which itself stays readable for `status` and `history`. */
export function lockJournal(path: string): FileLock {
  return lockFile(path, {
    holds: '',
    unwritable: (cause) => unwritable(path, cause),
    locked: (cause) =>
      ballastError(
        'JOURNAL_LOCKED',
        'Another process is already spending from this journal.',
        { journal: path, holder: shownHolder(path), next: nextOfLocked },
        cause,
      ),
  })
}

type Wallet = {
  readonly chainId: number
  readonly wallet: Address
  readonly stateFolder: string
  /** The file that this process spends from. */
  readonly journal: string
}

/** Lets one process at a time spend from a wallet, whichever file it journals to: two would share out no nonces. */
function lockWallet({ chainId, wallet, stateFolder, journal }: Wallet): FileLock {
  const path = join(stateFolder, `${chainId}-${wallet.toLowerCase()}`)
  return lockFile(path, {
    holds: `${journal}\n`,
    unwritable: (cause) => closedState({ path, stateFolder }, cause),
    locked: (cause) =>
      ballastError(
        'WALLET_LOCKED',
        'Another process is already spending from this wallet, with another journal.',
        {
          ...{ wallet, chainId, holder: shownHolder(path) },
          journal: readHolder(path)?.holds,
          next: nextOfLocked,
        },
        cause,
      ),
  })
}

function closedState(
  { path, stateFolder }: { readonly path: string; readonly stateFolder: string },
  cause: unknown,
): BallastError {
  const closed = closedFile([lockOf(path)])
  if (closed !== undefined)
    return ballastError(
      'STATE_FOLDER_UNUSABLE',
      'The lock of the wallet cannot be written.',
      { reason: closed, next: nextOfClosed },
      cause,
    )
  if (mayWriteTo(stateFolder)) return unwritable(path, cause)
  return ballastError(
    'STATE_FOLDER_UNUSABLE',
    `The state folder cannot be written: ${stateFolder}.`,
    {
      reason: cause instanceof Error ? cause.message : String(cause),
      next: 'let this account write there, or set stateFolder in ballast.yaml: the same folder for every journal of this wallet',
    },
    cause,
  )
}

/** Where it may, the folder is not at fault: the disk is full, or the process has no file left to open. */
function mayWriteTo(folder: string): boolean {
  try {
    makeFolder(folder)
    accessSync(folder, constants.W_OK)
    return true
  } catch (error) {
    return !deniedCodes.has((error as NodeJS.ErrnoException).code ?? '')
  }
}

const deniedCodes: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS', 'EEXIST', 'ENOTDIR'])

const nextOfLocked = 'stop that process, or let it finish what it began: ballast drain'

function shownHolder(path: string): string | undefined {
  const pid = readHolder(path)?.pid
  return pid === undefined ? undefined : `process ${pid}`
}

/** When the holder took the journal, in milliseconds since the epoch; undefined where none holds it. */
export function heldSince(path: string): number | undefined {
  return readHolder(path) === undefined
    ? undefined
    : statSync(pidFileOf(path), { throwIfNoEntry: false })?.mtimeMs
}

/** The process that spends from a journal in a file, and its number where that can be read; `unknown` where that cannot be told. */
export const lockHolder = (path: string): Pick<Holder, 'pid'> | 'unknown' | undefined =>
  lookAtLock(path)

/**
 * The process that spends from a journal on a server, as host and number, and since when, in milliseconds since the
 * epoch; undefined where none does. `since` is 0 where the server does not say.
 */
export async function leaseHeld(
  db: Kysely<Tables>,
  database: Database,
): Promise<{ readonly holder: string; readonly since: number } | undefined> {
  if (database.dialect === 'sqlite') return undefined
  const holder = await leaseHolder(db)
  if (holder === undefined) return undefined
  const { rows } = await sql<{ application_name: string }>`
    SELECT application_name FROM pg_stat_activity
    WHERE datname = current_database() AND application_name LIKE 'ballast lease %'`.execute(db)
  const since = heldSinceOf(
    database,
    rows.map((one) => one.application_name),
  )
  return { holder, since: since ?? 0 }
}
