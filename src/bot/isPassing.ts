import type { BallastError } from '../core/errors.ts'

/**
 * Whether what went wrong with signed bytes is over by itself: an endpoint that is away, a signer that refuses a
 * cancellation, gas that costs too much for one. None of it ends anything.
 */
export const isPassing = ({ fault, remedy, code }: BallastError): boolean =>
  fault === 'upstream' || (fault === 'refused' && (remedy === 'retry' || code === 'SIGNER_REFUSED'))
