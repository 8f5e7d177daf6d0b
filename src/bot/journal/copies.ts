import { once } from 'node:events'
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
} from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import type { Clock } from '../../core/clock.ts'
import { BallastError, ballastError } from '../../core/errors.ts'
import type { Address } from '../../core/token.ts'
import type { Lock } from '../lock.ts'
import type { AuditReport } from './audit/verifyLog.ts'
import { copyTables } from './copyTables.ts'
import { lockJournal } from './holdJournal.ts'
import { genesis, lastEntry } from './log/log.ts'
import { openJournal } from './openJournal.ts'
import { readJournal } from './readJournal.ts'
import { openDatabase, openDatabaseToRead } from './schema/openDatabase.ts'
import { checkIntegrity } from './store/checkIntegrity.ts'
import { closedFile } from './store/closedFile.ts'
import { assertMayWrite, type Database, journalName, unusable } from './store/database.ts'
import { fileBehind } from './store/fileBehind.ts'
import { findFull } from './store/findFull.ts'
import { giveToAccounts, giveToFolder } from './store/giveToFolder.ts'
import { type FileLock, lockFile, lockOf } from './store/lockFile.ts'
import { hasLinked, partialOf, sync, takeNewName } from './store/names.ts'
import { openSqliteToRead } from './store/openSqlite.ts'
import { placeToRead } from './store/placeToRead.ts'
import { busy, primaryCode } from './store/sqliteCode.ts'

/** A copy of a journal: where it is, and its log. */
export type Copied = Pick<AuditReport, 'count' | 'head'> & { readonly file: string }

/** A copy in its place: the journal that was there, and the locks that hold beside the halt of the wallet. */
type Restored = Copied & {
  readonly replaced: string | undefined
  readonly halt: Lock
  readonly kept: readonly Lock[]
  /** Whether the locks of the journal that was there could be read. */
  readonly isRead: boolean
}

/** The journal's file, not the link that leads to it; a server has tools of its own for its copies. */
function fileOf(database: Database, tool: string): string {
  if (database.dialect === 'sqlite') return fileBehind(database.path)
  throw ballastError(
    'JOURNAL_ON_SERVER',
    'The journal is on a PostgreSQL server, whose own tools copy it.',
    { next: `${tool}; after a restore: ballast recover --reason "…"` },
  )
}

/**
 * Copies a journal into a new file, also while a bot spends from it: one moment of it, whole, read through and its log
 * verified before it has its name. Throws where the file exists.
 */
export async function backUp(
  { database, clock }: { database: Database; clock: Clock },
  target: string,
): Promise<Copied> {
  const path = fileOf(database, 'pg_dump --format=custom')
  const file = resolve(target)
  const partial = partialOf(file)
  assertNew(file)
  const lock = lockTarget(file, path)
  try {
    assertNew(file)
    assertWritable(file)
    const source = { database: { dialect: 'sqlite', path }, clock } as const
    const { count, head } = await copyWhole(source, partial)
    takeNewName(partial, file)
    return { file, count, head }
  } catch (error) {
    removeFile(partial)
    // The journal is only read: the disk of the copy is the one that is full.
    const full = findFull(error)
    if (full !== undefined) throw notWritten(file, full)
    throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? exists(file, error) : error
  } finally {
    rmSync(lockOf(file), { force: true })
    lock.release()
  }
}

function assertNew(file: string): void {
  // The log of an older copy would be read into this one.
  const there = filesOf(file).find((one) => existsSync(one))
  if (there !== undefined) throw exists(there)
}

const exists = (file: string, cause?: unknown) =>
  ballastError('FILE_EXISTS', 'The file of the backup exists.', { file }, cause)

/** Two backups of one name would write one unfinished copy; a migration to it holds the same lock. */
function lockTarget(file: string, path: string): FileLock {
  try {
    // A journal of that name would be removed as what a killed copy left.
    if (join(realpathSync(dirname(file)), basename(partialOf(file))) === path)
      throw new Error('the copy is made under the name of the journal')
  } catch (cause) {
    throw notWritten(file, cause)
  }
  return lockFile(file, {
    holds: '',
    unwritable: (cause) => notWritten(file, cause),
    locked: (cause) =>
      ballastError(
        'JOURNAL_BUSY',
        'Another process is making a backup of this name: let it finish.',
        { file },
        cause,
      ),
  })
}

/** Of a folder that takes no file, the journal is not to blame. */
function assertWritable(file: string): void {
  try {
    begin(partialOf(file))
  } catch (cause) {
    throw notWritten(file, cause)
  }
}

const notWritten = (file: string, cause: unknown) =>
  ballastError(
    'FILE_NOT_WRITTEN',
    'The backup cannot be written there. The journal is as it was.',
    { file, reason: cause instanceof Error ? cause.message : String(cause) },
    cause,
  )

/** An empty file of our own in the place of what a killed copy left, or of a link: nothing is written where a link leads. */
function begin(partial: string): void {
  removeFile(partial)
  closeSync(openSync(partial, 'wx', 0o600))
  giveToFolder(partial)
}

/**
 * One moment of a journal, whole, in a new file that was read through and is on disk; from a server too. It has the entry of
 * the hash `newest`, or else of the one that is the newest of a file's log at this call.
 */
export async function copyWhole(
  { database, clock }: { database: Database; clock: Clock },
  partial: string,
  newest?: string,
): Promise<AuditReport> {
  let wanted = newest
  try {
    begin(partial)
    if (database.dialect === 'sqlite') {
      wanted ??= await newestOf(database.path)
      await vacuumInto(database.path, partial)
    } else await copyServer(database, partial)
  } catch (cause) {
    removeFile(partial)
    throw cause instanceof BallastError ? cause : unusable(journalName(database), cause)
  }
  const report = await verified(partial, clock, wanted)
  sync(partial)
  return report
}

/** The hash of its newest entry, also where the journal is of another version. */
async function newestOf(path: string): Promise<string> {
  const db = openSqliteToRead(path)
  return (await lastEntry(db).finally(() => db.destroy())).hash
}

/** One moment of a server's journal: a transaction of a reader is one. */
async function copyServer(database: Database, partial: string): Promise<void> {
  await using opened = new AsyncDisposableStack()
  const server = opened.adopt(await openDatabaseToRead(database), (db) => db.destroy())
  const copy: Database = { dialect: 'sqlite', path: partial }
  const to = opened.adopt(await openDatabase(copy), (db) => db.destroy())
  await server.transaction().execute((from) => copyTables({ from, to }))
}

/** Text, and not a file: a release is bundled, and has no file beside this one. */
const copier = `
  const { workerData } = require('node:worker_threads')
  const { DatabaseSync } = require('node:sqlite')
  const file = new DatabaseSync(workerData.path, { timeout: 5_000, readOnly: true })
  file.prepare('VACUUM INTO ?').run(workerData.partial)
  file.close()`

/** In a thread of its own: a bot goes on watching for a halt meanwhile. */
async function vacuumInto(path: string, partial: string): Promise<void> {
  const { location, assertQuiet } = placeToRead(path)
  const workerData = { path: location, partial }
  const thread = new Worker(copier, { eval: true, workerData, name: 'copy' })
  try {
    await once(thread, 'exit')
  } finally {
    assertQuiet()
  }
}

/**
 * Puts a copy in the place of a journal that no process uses. What was there stays beside it under another name, and its
 * locks hold in the copy, where they can be read. The wallet is halted: what it did since the copy is on the chain and not in these books.
 */
export async function restore(
  { database, clock, wallet }: { database: Database; clock: Clock; wallet: Address },
  source: string,
): Promise<Restored> {
  const path = fileOf(database, 'pg_restore')
  const file = resolve(source)
  const partial = `${path}.partial`
  assertReadable(file)
  if (fileBehind(file) === partial)
    throw ballastError('FILE_UNREADABLE', 'The restore makes a file of this name: move it first.', {
      file,
    })
  const lock = lockJournal(path)
  try {
    // The copy would be of this account, and no longer of the one whose journal it replaces. A log alone that is of another
    // account is moved aside with the journal.
    if (closedFile([path]) !== undefined) assertMayWrite(path)
    await foldLog(path, clock)
    return await putInPlace({ path, partial, file, clock, wallet })
  } catch (error) {
    const full = findFull(error)
    if (full === undefined) throw error
    throw ballastError(
      'FILE_NOT_WRITTEN',
      'The disk of the journal has no room for the copy. The journal in its place is as it was.',
      { file: path, reason: full.message },
      error,
    )
  } finally {
    lock.release()
  }
}

type Placing = {
  readonly path: string
  readonly partial: string
  readonly file: string
  readonly clock: Clock
  readonly wallet: Address
}

async function putInPlace({ path, partial, file, clock, wallet }: Placing): Promise<Restored> {
  try {
    removeFile(partial)
    const before = statSync(path, { throwIfNoEntry: false })
    await copyBytes({ file, partial }, before)
    if (before === undefined) giveToAccounts(partial)
    // Of a journal whose process was killed the last entries are in its log, which the look at the copy folds in.
    if (existsSync(`${file}-wal`))
      await copyBytes({ file: `${file}-wal`, partial: `${partial}-wal` }, undefined)
    const { count, head } = await verified(partial, clock, undefined).catch((error: unknown) => {
      throw unfit(error, file)
    })
    // As late as may be: a stop that comes afterwards is in the journal that is moved aside.
    const standing = await locksOf(path, clock)
    const halted = await halt(partial, { clock, wallet, file, standing: standing ?? [] })
    sync(partial)
    await foldLog(path, clock)
    // A log without its file as well, and first: in front of another file its entries would be read into that.
    const left = ['-wal', '-shm', '-journal', ''].filter((end) => existsSync(`${path}${end}`))
    const replaced = left.length > 0 ? `${path}.replaced-${clock.now()}` : undefined
    for (const end of left) moveAside(`${path}${end}`, `${replaced}${end}`)
    sync(dirname(path))
    renameSync(partial, path)
    sync(dirname(path))
    return { file: path, count, head, replaced, ...halted, isRead: standing !== undefined }
  } catch (error) {
    removeFile(partial)
    throw error
  }
}

type Copying = { readonly file: string; readonly partial: string }

/**
 * The bytes in a new file, which whoever could use the journal before can use. The copy of the system would be of the account
 * that has the source, where root makes it.
 */
async function copyBytes({ file, partial }: Copying, before: Stats | undefined): Promise<void> {
  await using from = await open(file, 'r').catch((cause: unknown) => {
    throw unreadable(file, cause)
  })
  if (!(await from.stat()).isFile()) throw unreadable(file, new Error('it is no file'))
  await using to = await open(partial, 'wx', 0o600)
  if (before !== undefined) {
    await giveTo(before, to)
    await to.chmod(before.mode & 0o777)
  }
  await to.writeFile(from.createReadStream({ autoClose: false }))
}

/** Only where it is another account's: not every disk has owners, and not every root may name another. */
async function giveTo({ uid, gid }: Stats, to: FileHandle): Promise<void> {
  const made = await to.stat()
  if (process.getuid?.() !== 0 || (made.uid === uid && made.gid === gid)) return
  await to.chown(uid, gid).catch((cause: unknown) => {
    throw ballastError(
      'FILE_NOT_WRITTEN',
      'The copy cannot be given to the account of the journal, which is as it was.',
      { account: uid, next: 'restore as that account, or as a root that may change owners' },
      cause,
    )
  })
}

function assertReadable(file: string): void {
  try {
    accessSync(file, constants.R_OK)
  } catch (cause) {
    throw unreadable(file, cause)
  }
}

function unreadable(file: string, cause: unknown): BallastError {
  const { code, message } = cause as NodeJS.ErrnoException
  if (code === 'ENOENT')
    return ballastError('FILE_UNREADABLE', 'There is no such file.', { file }, cause)
  return ballastError(
    'FILE_UNREADABLE',
    'The file cannot be read: let this account read it. The journal in its place is as it was.',
    { file, reason: message },
    cause,
  )
}

/** The locks that hold in the journal in place; undefined where that cannot be read. */
async function locksOf(path: string, clock: Clock): Promise<readonly Lock[] | undefined> {
  if (!existsSync(path)) return undefined
  const database: Database = { dialect: 'sqlite', path }
  try {
    const journal = await readJournal({ database, clock, haltFile: `${path}.halt` })
    return await journal.locks.live().finally(journal.shut)
  } catch (error) {
    // Damaged, or of another version: that is why it is replaced.
    if (error instanceof BallastError || primaryCode(error) !== 0) return undefined
    throw error
  }
}

/** At no instant is there no journal: a start after a crash would begin a new one. A disk without links has such an instant. */
function moveAside(from: string, to: string): void {
  if (!hasLinked(from, to)) renameSync(from, to)
  else if (!isJournalFile(from)) rmSync(from)
}

const isJournalFile = (path: string) => !/-(?:wal|shm|journal)$/.test(path)

/** What the given file lacks is not said of the journal in place, which stays. */
function unfit(error: unknown, file: string): unknown {
  if (!(error instanceof BallastError) || error.code !== 'JOURNAL_UNUSABLE') return error
  return ballastError(
    'FILE_UNREADABLE',
    'The file is no journal that can be used. The journal in its place is as it was.',
    { file, reason: error.facts.reason },
    error,
  )
}

/**
 * A journal whose log is in its file is moved in one step. A damaged one, which a copy replaces, is moved as it is. One that
 * another program has open is not: what ships it would go on with the file that is gone, and its copies would be worth nothing.
 */
async function foldLog(path: string, clock: Clock): Promise<void> {
  for (let tries = 1; ; tries += 1)
    try {
      if (existsSync(path)) makeOneFile(path)
      return
    } catch (error) {
      const code = primaryCode(error)
      if (code === 0) throw error
      if (code !== busy) return
      if (tries === foldsMax)
        throw ballastError(
          'JOURNAL_BUSY',
          'Another program has the journal open.',
          {
            journal: path,
            next: 'stop what ships or reads it, such as ballast-shipping, then try again',
          },
          error,
        )
      await clock.sleep(100)
    }
}

/** A command that looks has the journal open for a moment, and SQLite itself does not wait for it here. */
const foldsMax = 50

/** Its log, once the file was read whole, the log is what was written, and it has the wanted entry. Makes no file. */
async function verified(
  path: string,
  clock: Clock,
  wanted: string | undefined,
): Promise<AuditReport> {
  try {
    await using held = await open(path, 'r').catch((cause: unknown) => {
      throw notWhole(path, 'it was removed while it was made', cause)
    })
    const report = await readThrough(path, clock, wanted)
    // While it is held open, no other file has its number: one that was made anew under its name is noticed.
    if (statSync(path, { throwIfNoEntry: false })?.ino !== (await held.stat()).ino)
      throw notWhole(path, 'it was removed while it was read')
    if (report.found === false && wanted !== genesis)
      throw notWhole(path, 'it lacks entries that the journal has')
    return report
  } catch (error) {
    removeFile(path)
    throw error
  }
}

const notWhole = (file: string, reason: string, cause?: unknown) =>
  ballastError(
    'FILE_NOT_WRITTEN',
    'The copy is not whole, and was removed. The journal is as it was.',
    { file, reason },
    cause,
  )

async function readThrough(
  path: string,
  clock: Clock,
  wanted: string | undefined,
): Promise<AuditReport> {
  const database: Database = { dialect: 'sqlite', path }
  const integrity = checkIntegrity(database)
  await integrity.whole(new AbortController().signal)
  const journal = await openJournal({ database, clock, haltFile: `${path}.halt` })
  try {
    const report = await journal.log.verify(wanted)
    if (report.broken !== undefined)
      throw ballastError('JOURNAL_INCONSISTENT', 'The copy contradicts itself.', {
        file: path,
        entry: report.broken.seq,
        why: report.broken.why,
      })
    return report
  } finally {
    await journal.shut()
    makeOneFile(path)
    // Of a copy that was brought up to date; nobody else knows its name.
    rmSync(`${path}.lock`, { force: true })
  }
}

/** Halts the wallet of a copy, and returns the lock of it and those that hold in it as well, as numbered there. */
async function halt(
  path: string,
  {
    clock,
    wallet,
    file,
    standing,
  }: { clock: Clock; wallet: Address; file: string; standing: readonly Lock[] },
): Promise<Pick<Restored, 'halt' | 'kept'>> {
  const database: Database = { dialect: 'sqlite', path }
  const journal = await openJournal({ database, clock, haltFile: `${path}.halt` })
  try {
    const { lock: halt } = await journal.locks.open({
      kind: 'halt',
      scope: `wallet ${wallet.toLowerCase()}`,
      code: 'JOURNAL_RESTORED',
      reason: `restored from ${file}: book what the wallet did since with ballast recover --reason "…", then resume`,
      expiresAt: undefined,
    })
    for (const { kind, scope, code, reason, expiresAt } of standing) {
      const { lock, fresh } = await journal.locks.open({ kind, scope, code, reason, expiresAt })
      // The copy has it with the end that it had then.
      if (!fresh && lock.expiresAt !== undefined && (expiresAt ?? 0) > lock.expiresAt)
        await journal.locks.reopen({
          id: lock.id,
          reason: 'it was renewed',
          expiresAt: expiresAt ?? 0,
        })
    }
    const live = await journal.locks.live()
    return { halt, kept: live.filter(({ id }) => id !== halt.id) }
  } finally {
    await journal.shut()
  }
}

/** One file, whatever its folder allows: a reader of the other mode writes beside it. */
export function makeOneFile(path: string): void {
  const file = new DatabaseSync(path)
  try {
    file.exec('PRAGMA journal_mode = DELETE')
  } finally {
    file.close()
  }
}

/** The names of all files that a journal may have. */
export const filesOf = (path: string): readonly string[] =>
  ['', '-wal', '-shm', '-journal'].map((end) => `${path}${end}`)

export function removeFile(path: string): void {
  for (const file of filesOf(path)) rmSync(file, { force: true })
}
