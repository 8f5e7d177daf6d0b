import type { AlertItem } from '../../bot/journal/alerts/alerts.ts'
import { BallastError, isPassing } from '../../core/errors.ts'
import { failureReason } from '../../core/failureReason.ts'

/**
 * What a person must know of the error that ends a bot, at an instant in milliseconds since the epoch. Undefined where it
 * begins again by itself, and where a lock ended it, which is told as that.
 */
export function endItem(error: unknown, at: number): AlertItem | undefined {
  const known = error instanceof BallastError
  if (error === undefined || (known && (isPassing(error) || error.code === 'LOCKED')))
    return undefined
  const [code, why] = known
    ? [error.code, failureReason(error)]
    : ['INTERNAL', 'an unexpected failure.']
  return {
    ...{ kind: 'end', code: 'BOT_ENDED', severity: 'critical', subject: code },
    since: new Date(at).toISOString(),
    sentence: `The bot ended: ${why} (${code})`,
    next: 'see its log and mend what ended it, then start it again: ballast run',
  }
}
