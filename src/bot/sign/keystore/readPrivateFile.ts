import { closeSync, existsSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { ballastError } from '../../../core/errors.ts'
import { openToOthers } from '../../../core/openToOthers.ts'
import { type Secret, secret } from '../../../core/secret.ts'

/** No key and no password is this long; a mistaken path may be. */
const maxBytes = 64 * 1024

/**
 * The text of a private file: one that other users may read or write is refused.
 *
 * Looks at the opened file, not at its name, so that the judged file is the one that is read.
 */
export function readPrivateFile(file: string, what: string): string {
  let descriptor: number
  try {
    descriptor = openSync(file, 'r')
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw ballastError(
      'FILE_UNREADABLE',
      `The ${what} cannot be read.`,
      { file, reason: code },
      cause,
    )
  }
  try {
    const status = fstatSync(descriptor)
    if (!status.isFile())
      throw ballastError('FILE_UNREADABLE', `The ${what} is not a file.`, { file })
    if (openToOthers(status))
      throw ballastError(
        'FILE_NOT_PRIVATE',
        `The ${what} is open to other users of this machine: run chmod 600 on it.`,
        { file, mode: (status.mode & 0o777).toString(8) },
      )
    if (status.size > maxBytes)
      throw ballastError('FILE_UNREADABLE', `The ${what} is larger than ${maxBytes} bytes.`, {
        file,
      })
    return readFileSync(descriptor, 'utf8')
  } finally {
    closeSync(descriptor)
  }
}

/**
 * The password in a file. One newline at its end is the editor's, everything else is the password. A path that leads to no
 * file is not repeated: who mistakes one for the other writes the password as the path.
 */
export function readPassword(file: string): Secret {
  if (!existsSync(file))
    throw ballastError(
      'FILE_UNREADABLE',
      'The password file is not there, or in a folder that this account may not enter: write its path into WALLET_PASSWORD_FILE (what it says is not shown).',
    )
  const password = readPrivateFile(file, 'password file').replace(/\r?\n$/, '')
  if (password === '')
    throw ballastError('PASSWORD_MISSING', 'The password file is empty.', { file })
  return secret(password)
}
