import { statSync } from 'node:fs'
import { BallastError } from '../../../core/errors.ts'

/** Whoever may write to a directory may put another file in the place of one of ours. */
export function checkDirectory(directory: string): void {
  const status = statSync(directory, { throwIfNoEntry: false })
  if (status?.isDirectory() !== true)
    throw refusal('The signer’s directory does not exist: make it, mode 700.', { directory })
  if ((status.mode & 0o002) !== 0)
    throw refusal('Everybody may write to the signer’s directory: give it mode 700.', {
      directory,
      mode: (status.mode & 0o7777).toString(8),
    })
}

function refusal(summary: string, facts: Readonly<Record<string, string>>): BallastError {
  return new BallastError(summary, {
    code: 'DIRECTORY_NOT_PRIVATE',
    remedy: 'halt',
    fault: 'usage',
    facts,
  })
}
