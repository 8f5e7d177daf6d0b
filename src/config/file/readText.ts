import { readFileSync, statSync } from 'node:fs'
import { relative } from 'node:path'
import { BallastError, ballastError } from '../../core/errors.ts'

/** No configuration is this long; a mistaken path may be. */
const maxBytes = 1024 * 1024

/** The text of a configuration file; `init` is the sentence on how to get one. */
export function readText(path: string, { shown, init }: { shown: string; init: string }): string {
  try {
    const about = statSync(path)
    if (about.isDirectory())
      throw ballastError('CONFIG_UNREADABLE', `${shown} is a folder: name a file.`, { file: path })
    if (about.size > maxBytes) throw new Error(`larger than ${maxBytes} bytes`)
    return decoded(readFileSync(path), { path, shown })
  } catch (cause) {
    if (cause instanceof BallastError) throw cause
    const { code, message } = cause as NodeJS.ErrnoException
    throw code === 'ENOENT'
      ? ballastError(
          'CONFIG_MISSING',
          `There is no ${shown}: ${init}, --config FILE or BALLAST_CONFIG names another.`,
          { file: path },
        )
      : ballastError('CONFIG_UNREADABLE', `${shown} cannot be read.`, {
          file: path,
          reason: code ?? message,
        })
  }
}

/** An editor of Windows may save UTF-16: read as UTF-8, every second sign of it is one that is not in the file. */
function decoded(bytes: Uint8Array, { path, shown }: { path: string; shown: string }): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    if (text.includes('\0')) throw new Error('it has a byte of zero')
    return text
  } catch (cause) {
    throw ballastError(
      'CONFIG_UNREADABLE',
      `${shown} is not UTF-8: save it as UTF-8.`,
      { file: path },
      cause,
    )
  }
}

/** A path as a person in that directory would write it. */
export function showPath(path: string, cwd: string): string {
  const short = relative(cwd, path)
  return short.startsWith('..') ? path : short
}
