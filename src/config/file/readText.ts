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

/** An editor of Windows may save UTF-16, of which every second byte is zero. */
function decoded(bytes: Buffer, { path, shown }: { path: string; shown: string }): string {
  if (!bytes.includes(0)) return bytes.toString('utf8')
  throw ballastError('CONFIG_UNREADABLE', `${shown} is not UTF-8: save it as UTF-8.`, {
    file: path,
  })
}

/** A path as a person in that directory would write it. */
export function showPath(path: string, cwd: string): string {
  const short = relative(cwd, path)
  return short.startsWith('..') ? path : short
}
