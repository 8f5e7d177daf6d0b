import { BallastError } from '../core/errors.ts'

/** What was asked about is not in the journal. */
export function unknownSubject(summary: string): BallastError {
  return new BallastError(summary, { code: 'UNKNOWN_ID', remedy: 'skip', fault: 'usage' })
}
