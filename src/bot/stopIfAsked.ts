import { BallastError } from '../core/errors.ts'

/** Ends a swap that was about to be signed when the process was asked to stop. What is journaled goes on with the next start. */
export function stopIfAsked(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true)
    throw new BallastError('The process was asked to stop before the swap was signed.', {
      code: 'INTERRUPTED',
      remedy: 'skip',
      fault: 'unsettled',
    })
}
