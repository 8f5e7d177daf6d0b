import { BallastError } from '../../../core/errors.ts'

/** The time of an operation is over and nothing was heard. */
export function unreachable(label: string, timeoutMs: number): BallastError {
  return new BallastError(`${label} did not answer within ${timeoutMs} ms.`, {
    code: 'QUOTE_UNAVAILABLE',
    remedy: 'retry',
    fault: 'upstream',
  })
}
