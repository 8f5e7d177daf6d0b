import { open, rm } from 'node:fs/promises'
import { display } from '../../core/display.ts'
import { type BallastError, ballastError } from '../../core/errors.ts'
import type { Sink } from './writeRows.ts'

/**
 * Lets `work` write a new file, for its owner alone. One that is there already is left as it is, and a file that was
 * not finished is taken away again: half an export looks like a whole one.
 */
export async function toFile<result>(
  path: string,
  work: (sink: Sink) => Promise<result>,
): Promise<result> {
  const file = await open(path, 'wx', 0o600).catch((cause: unknown) => {
    throw refusal(path, cause)
  })
  try {
    const result = await work(async (text) => {
      await file.writeFile(text)
      return true
    })
    await file.sync()
    await file.close()
    return result
  } catch (error) {
    await file.close()
    await rm(path, { force: true })
    throw error
  }
}

function refusal(path: string, cause: unknown): BallastError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown'
  const why =
    code === 'EEXIST'
      ? 'is there already, and an export overwrites nothing: name another file'
      : `cannot be written (${code})`
  return ballastError('EXPORT_FILE', `${display(path, 512)} ${why}.`, {}, cause)
}
