import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { openToOthers } from '../../core/openToOthers.ts'

/** No value of a variable is this long; a mistaken path may be. */
const maxBytes = 64 * 1024

/**
 * The value of a variable that lies in a file, or what is wrong with the file. One newline at its end is the editor's.
 * The problem repeats neither text nor path: who mistakes one for the other writes a secret as the path.
 *
 * Looks at the opened file, not at its name, so that the judged file is the one that is read.
 */
export function readVariableFile(
  path: string,
):
  | { readonly value: string; readonly problem?: never }
  | { readonly value?: never; readonly problem: string } {
  let descriptor: number | undefined
  try {
    descriptor = openSync(path, 'r')
    const status = fstatSync(descriptor)
    if (!status.isFile()) return { problem: `names no file: ${another} (${hidden}).` }
    if (openToOthers(status))
      return {
        problem: `others can read its file (mode ${(status.mode & 0o777).toString(8)}): run chmod 600 on it.`,
      }
    if (status.size > maxBytes)
      return { problem: `names a file of more than ${maxBytes} bytes: write the path of another.` }
    const value = readFileSync(descriptor, 'utf8').replace(/\r?\n$/, '')
    return value === '' ? { problem: 'names an empty file: write the value into it.' } : { value }
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    return { problem: `names a file that cannot be read (${code}): ${another} (${hidden}).` }
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

const another = 'write the path of one'
const hidden = 'what it says is not shown'
