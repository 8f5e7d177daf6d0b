import { BallastError } from '../../core/errors.ts'

/** A strategy that cannot be run, or not any further: the bot says so and stops. */
export function brokenStrategy(summary: string, cause?: unknown): BallastError {
  return new BallastError(summary, {
    code: 'STRATEGY_BROKEN',
    remedy: 'halt',
    fault: 'usage',
    cause,
  })
}
