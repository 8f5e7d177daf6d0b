import { chmodSync, lstatSync, rmSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname } from 'node:path'
import { type BallastError, ballastError } from '../../../core/errors.ts'

type Listening = {
  /** Begins to listen at the path. */
  readonly listen: () => Promise<unknown>
  /** The refusal of a socket at which another process answers. */
  readonly inUse: BallastError
}

/**
 * Listens on a Unix socket that only this user can open, in a directory where no other user can put another in its
 * place. The socket of a process that died is removed; one that answers is not.
 */
export async function listenPrivately(path: string, { listen, inUse }: Listening): Promise<void> {
  checkDirectory(dirname(path))
  await removeStale(path, inUse)
  // The mode must be right from the first moment, not only from chmod on.
  const before = process.umask(0o177)
  try {
    await listen()
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw refusal('The socket cannot be made there.', { socket: path, reason: code }, cause)
  } finally {
    process.umask(before)
  }
  chmodSync(path, 0o600)
}

async function removeStale(path: string, inUse: BallastError): Promise<void> {
  const status = lstatSync(path, { throwIfNoEntry: false })
  if (status === undefined) return
  if (!status.isSocket())
    throw refusal('Where the socket is to be there is something else; it stays as it is.', {
      socket: path,
    })
  if (await isAnswered(path)) throw inUse
  rmSync(path)
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(path)
    probe.once('connect', () => {
      probe.destroy()
      resolve(true)
    })
    // Only this answer shows that the socket is dead; any other leaves the socket to a person.
    probe.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code !== 'ECONNREFUSED'))
  })
}

function refusal(
  summary: string,
  facts: Readonly<Record<string, string | undefined>>,
  cause?: unknown,
): BallastError {
  return ballastError('SOCKET_UNUSABLE', summary, facts, cause)
}

/** Whoever may write to a directory may put another file in the place of one of ours: others, a group, its owner. */
export function checkDirectory(directory: string): void {
  const status = statSync(directory, { throwIfNoEntry: false })
  if (status?.isDirectory() !== true)
    throw unsafeDirectory('The directory does not exist: make it, mode 700.', {
      directory,
    })
  if ((status.mode & 0o022) !== 0)
    throw unsafeDirectory('Other users may write to the directory: give it mode 700.', {
      directory,
      mode: (status.mode & 0o7777).toString(8),
    })
  const user = process.geteuid?.()
  if (user !== undefined && status.uid !== user && status.uid !== root)
    throw unsafeDirectory('Another user owns the directory: make one of your own, mode 700.', {
      directory,
      owner: String(status.uid),
    })
}

/** Who may do everything anyway. */
const root = 0

function unsafeDirectory(summary: string, facts: Readonly<Record<string, string>>): BallastError {
  return ballastError('DIRECTORY_NOT_PRIVATE', summary, facts)
}
