import { existsSync, statSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { ballastError } from '../../../core/errors.ts'
import { unusable } from './database.ts'
import { fileBehind } from './fileBehind.ts'

/** How a journal is opened to be read. */
type ReadingPlace = {
  /** The name that SQLite is given. */
  readonly location: string
  /** Throws JOURNAL_BUSY where another process has begun to use the file: what was read since may be torn. */
  assertQuiet(): void
}

/**
 * A reader leaves nothing beside a journal that would lock its owner out. SQLite makes `-wal` and `-shm` for readers too, and
 * those of another account the owner cannot write. So another account reads a file that no process uses as it lies, without
 * locks. Throws JOURNAL_UNUSABLE where a log without its index is left.
 */
export function placeToRead(path: string): ReadingPlace {
  const file = fileBehind(path)
  const has = (end: string) => existsSync(`${file}${end}`)
  if (isOwn(file) || has('-journal') || (has('-wal') && has('-shm')))
    return { location: path, assertQuiet: () => {} }
  // SQLite makes and removes the two one after the other: a moment later both are there, or none.
  if (has('-wal')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50)
  if (has('-wal') && has('-shm')) return { location: path, assertQuiet: () => {} }
  if (has('-wal'))
    throw unusable(
      path,
      'its process was killed, and only the account of the journal may read the log that it left: look as that account, or start the bot',
    )
  const url = pathToFileURL(file)
  url.searchParams.set('immutable', '1')
  const before = stampOf(file)
  return {
    location: url.href,
    assertQuiet() {
      if (has('-wal') || has('-journal') || stampOf(file) !== before) throw began(path)
    },
  }
}

/** Root gives what it makes to the owner of the file: SQLite sees to that. */
function isOwn(file: string): boolean {
  const account = process.geteuid?.() ?? 0
  const owner = statSync(file, { throwIfNoEntry: false })?.uid ?? account
  return account === 0 || account === owner
}

function stampOf(file: string): string {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false })
  return found === undefined ? '' : `${found.ino} ${found.size} ${found.mtimeNs}`
}

const began = (path: string) =>
  ballastError(
    'JOURNAL_BUSY',
    'A process began to use the journal while it was read: look again.',
    {
      journal: path,
    },
  )
