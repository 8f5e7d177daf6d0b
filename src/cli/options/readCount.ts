import { BallastError } from '../../core/errors.ts'

/** Reads a whole number of something, 0 or more. */
export function readCount(text: string): number {
  if (!/^\d{1,9}$/.test(text))
    throw new BallastError(`'${text.slice(0, 32)}' is not a whole number.`, {
      code: 'NOT_A_COUNT',
      remedy: 'skip',
      fault: 'usage',
    })
  return Number(text)
}
