import { BallastError } from '../../core/errors.ts'

/** The journal's file is broken, or is no journal. Nothing is signed without one. */
export function unusable(path: string, cause: unknown): BallastError {
  return new BallastError('The journal cannot be used.', {
    code: 'JOURNAL_UNUSABLE',
    remedy: 'halt',
    fault: 'locked',
    facts: { file: path, reason: cause instanceof Error ? cause.message : String(cause) },
    cause,
  })
}
