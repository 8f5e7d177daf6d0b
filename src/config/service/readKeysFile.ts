import { closeSync, fstatSync, openSync, readFileSync, type Stats } from 'node:fs'
import { type BallastError, ballastError } from '../../core/errors.ts'
import { openToOthers } from '../../core/openToOthers.ts'
import { secret } from '../../core/secret.ts'

/** Bytes; a key is a line. */
const maxBytes = 4 * 1024 * 1024

/**
 * The keys of a file: one a line, plain or as `sha256:` and 64 hex digits; what follows a `#` is a comment. Plain ones are
 * for a file that other users of the machine can neither read nor write.
 *
 * No message repeats a line: it may be a key.
 */
export function readKeysFile(file: string): readonly string[] {
  let text: string
  let status: Stats
  let descriptor: number | undefined
  try {
    descriptor = openSync(file, 'r')
    status = fstatSync(descriptor)
    text = readFileSync(descriptor, 'utf8')
    if (text.length > maxBytes) throw new Error(`larger than ${maxBytes} bytes`)
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    throw refusal('The file of API keys cannot be read.', { file, reason: code ?? message })
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
  return text.split(/\r?\n/).flatMap((line, index) => {
    const key = line.replace(/(?:^|\s)#.*$/, '').trim()
    if (key === '') return []
    const isHash = /^sha256:/i.test(key)
    if (isHash ? !/^sha256:[0-9a-f]{64}$/i.test(key) : !/^[\x21-\x7e]{16,512}$/.test(key))
      throw refusal(
        `Line ${index + 1} of the file of API keys is neither a key of 16 to 512 characters nor sha256: and 64 hex digits.`,
        { file },
      )
    if (isHash) return [key]
    if (openToOthers(status))
      throw ballastError(
        'FILE_NOT_PRIVATE',
        'The file of API keys is open to other users of this machine: run chmod 600 on it, or write each key as sha256: and its hash.',
        { file, mode: (status.mode & 0o777).toString(8) },
      )
    secret(key)
    return [key]
  })
}

function refusal(summary: string, facts: Record<string, string>): BallastError {
  return ballastError('KEYS_INVALID', summary, facts)
}
