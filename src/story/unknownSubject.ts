import { type BallastError, ballastError } from '../core/errors.ts'

/** What was asked about is not in the journal. */
export function unknownSubject(summary: string): BallastError {
  return ballastError('UNKNOWN_ID', summary)
}
