import { type BallastError, ballastError } from '../../core/errors.ts'

/** A strategy that cannot be run, or not any further: the bot says so and stops. */
export function brokenStrategy(summary: string, cause?: unknown): BallastError {
  return ballastError('STRATEGY_BROKEN', summary, {}, cause)
}
