import { readFileSync, statSync } from 'node:fs'
import { relative } from 'node:path'
import { ballastError } from '../../core/errors.ts'

/** No configuration is this long; a mistaken path may be. */
const maxBytes = 1024 * 1024

/** The text of a configuration file; `init` is the sentence on how to get one. */
export function readText(path: string, { shown, init }: { shown: string; init: string }): string {
  try {
    if (statSync(path).size > maxBytes) throw new Error(`larger than ${maxBytes} bytes`)
    return readFileSync(path, 'utf8')
  } catch (cause) {
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

/** A path as a person in that directory would write it. */
export function showPath(path: string, cwd: string): string {
  const short = relative(cwd, path)
  return short.startsWith('..') ? path : short
}
