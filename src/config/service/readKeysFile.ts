import { readFileSync } from 'node:fs'
import { type BallastError, ballastError } from '../../core/errors.ts'
import { secret } from '../../core/secret.ts'

/** Bytes; a key is a line. */
const maxBytes = 4 * 1024 * 1024

/**
 * The keys of a file: one a line, plain or as `sha256:` and 64 hex digits; what follows a `#` is a comment.
 *
 * No message repeats a line: it may be a key.
 */
export function readKeysFile(file: string): readonly string[] {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
    if (text.length > maxBytes) throw new Error(`larger than ${maxBytes} bytes`)
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    throw refusal('The file of API keys cannot be read.', { file, reason: code ?? message })
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
    if (!isHash) secret(key)
    return [key]
  })
}

function refusal(summary: string, facts: Record<string, string>): BallastError {
  return ballastError('KEYS_INVALID', summary, facts)
}
