import { statSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Hex } from '../../chain/calls/fields.ts'
import type { Clock } from '../../core/clock.ts'
import { BallastError, ballastError } from '../../core/errors.ts'
import { fullBytes } from '../disk.ts'
import { assertAtHand } from './archive/createArchives.ts'
import type { createArchiving } from './archive/createArchiving.ts'
import { sha256Of } from './archive/sha256Of.ts'
import { copyWhole } from './copies.ts'
import { type Database, journalName } from './store/database.ts'
import { freeBytesOf } from './store/disk.ts'
import { giveToAccounts, makeFolder } from './store/giveToFolder.ts'
import { type FileLock, lockFile } from './store/lockFile.ts'
import { partialOf, takeName } from './store/names.ts'

/** A checkpoint of the log: everything up to an entry is what this file has. */
export type Checkpoint = { readonly upto: number; readonly hash: string; readonly sha256: string }

type Archiving = {
  readonly journal: { readonly archiving: ReturnType<typeof createArchiving> }
  readonly database: Database
  /** The folder of the archives. */
  readonly folder: string
  readonly clock: Clock
  /** Bytes that are free on the volume of a folder. */
  readonly freeBytes?: (folder: string) => number
  /** Signs with the wallet's key; undefined where no key signs. */
  readonly sign?: ((checkpoint: Checkpoint) => Promise<Hex | undefined>) | undefined
}

/**
 * Moves the bodies from before an instant into an archive: a whole copy of the journal, verified and on disk before the log
 * names it; the journal drops nothing before that. A kill leaves at most a file that no entry names, or bodies in both, which
 * the next call drops. Throws JOURNAL_BUSY where another process archives: its copy would be of what this one has thinned.
 */
export async function archiveJournal(archive: Archiving, before: number) {
  const { database, folder } = archive
  const name = archiveName(database)
  const lock = lockFolder(folder, name)
  try {
    return await archiveAlone({ ...archive, name }, before)
  } finally {
    lock.release()
  }
}

async function archiveAlone(
  { journal: { archiving }, name, ...archive }: Archiving & { readonly name: string },
  before: number,
) {
  const { database, folder, clock, freeBytes = freeBytesOf, sign } = archive
  const freed = await finishArchive({ journal: { archiving }, folder })
  const last = await archiving.last()
  const end = await archiving.end(before)
  if (!(await archiving.remains({ upto: end.seq, before }))) return { made: undefined, freed }

  // The newest entry names it: each archive adds one, so that none takes the place of another that ended at the same entry.
  const file = `${name}-${end.seq}-${end.newest.slice(0, 8)}.db`
  const [partial, path] = [join(folder, partialOf(name)), join(folder, file)]
  try {
    // A full disk would end the bot, whose journal may lie on it too.
    const room =
      freeBytes(folder) - (database.dialect === 'sqlite' ? statSync(database.path).size : 0)
    if (room < fullBytes) throw new Error('the disk has too little room for a copy of the journal')
    await copyWhole({ database, clock }, partial, end.newest)
  } catch (cause) {
    throw archiveFailed(folder, cause)
  }
  const checkpoint = { upto: end.seq, hash: end.hash, sha256: await sha256Of(partial) }
  // Before it has its name: each try with a signer that is away would leave a whole copy.
  const signature = await sign?.(checkpoint)
  try {
    takeName(partial, path)
    giveToAccounts(path)
  } catch (cause) {
    throw archiveFailed(folder, cause)
  }
  const made = { ...checkpoint, before: Math.max(before, last?.before ?? 0), file, signature }
  await archiving.note(made, last)
  return { made, freed: freed + (await archiving.thin(made)) }
}

/** The beginning of the names of all its archives. */
export const archiveName = (database: Database): string =>
  basename(journalName(database))
    .replace(/\.db$/, '')
    .replace(/[^\w.-]/g, '-')

/** One archive at a time of what shares a partial file here. */
function lockFolder(folder: string, name: string): FileLock {
  try {
    makeFolder(folder, 0o700)
  } catch (cause) {
    throw archiveFailed(folder, cause)
  }
  return lockFile(join(folder, name), {
    holds: '',
    unwritable: (cause) => archiveFailed(folder, cause),
    locked: (cause) =>
      ballastError(
        'JOURNAL_BUSY',
        'Another process is archiving a journal of this name: let it finish.',
        { folder },
        cause,
      ),
  })
}

/** Drops what the last archive has and the journal still had when it was killed. Returns the bytes that were dropped. */
export async function finishArchive({
  journal: { archiving },
  folder,
}: Pick<Archiving, 'journal' | 'folder'>): Promise<number> {
  const last = await archiving.last()
  if (last === undefined || !(await archiving.remains(last))) return 0
  const path = join(folder, last.file)
  assertAtHand(last.file, folder)
  if ((await sha256Of(path)) !== last.sha256)
    throw ballastError('ARCHIVE_CHANGED', `The archive ${last.file} is not what was written.`, {
      file: path,
      next: 'ballast audit verify',
    })
  return archiving.thin(last)
}

function archiveFailed(folder: string, cause: unknown): BallastError {
  if (cause instanceof BallastError && !ofTheCopy.has(cause.code)) return cause
  const reason = cause instanceof BallastError ? (cause.facts.reason ?? cause.summary) : cause
  return ballastError(
    'ARCHIVE_FAILED',
    `The archive could not be written to ${folder}. The journal is as it was.`,
    { reason: reason instanceof Error ? reason.message : String(reason) },
    cause,
  )
}

/** Said of the copy here, and not of the journal. */
const ofTheCopy: ReadonlySet<string> = new Set([
  'JOURNAL_UNUSABLE',
  'JOURNAL_FULL',
  'FILE_NOT_WRITTEN',
])
