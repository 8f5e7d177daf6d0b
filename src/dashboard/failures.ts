import { display, foreignMax } from '../core/display.ts'
import { BallastError, ballastError } from '../core/errors.ts'
import { withoutSecrets } from '../core/secret.ts'

const statuses: Readonly<Record<string, number>> = {
  UNKNOWN_HOST: 421,
  FOREIGN_ORIGIN: 403,
  ACCESS_DENIED: 401,
  ACCESS_LIMITED: 429,
  RATE_LIMITED: 429,
  TOO_MANY_READERS: 503,
  OPERATOR_ONLY: 403,
  NOT_FOUND: 404,
  USAGE: 400,
}

/** The part of a failure a stranger may learn: ours state it themselves, of others only that they happened. */
export function failureOf(error: unknown) {
  if (error instanceof BallastError) {
    const { code, summary, remedy, facts, fault } = error
    const status = statuses[code] ?? (fault === 'upstream' ? 503 : 500)
    const shown = Object.entries(facts).map(([name, value]) => [
      name,
      display(withoutSecrets(`${value}`), foreignMax),
    ])
    const body = {
      code,
      message: withoutSecrets(summary),
      facts: Object.fromEntries(shown),
      remedy,
    }
    return { status, body }
  }
  const { statusCode } = error as { statusCode?: number }
  const status =
    statusCode !== undefined && statusCode >= 400 && statusCode < 500 ? statusCode : 500
  const message = status === 500 ? 'Something unexpected happened.' : 'The request is not valid.'
  const code = status === 500 ? 'UNEXPECTED' : 'USAGE'
  return { status, body: { code, message, facts: {}, remedy: 'skip' } }
}

export const notFound = (summary: string): BallastError => ballastError('NOT_FOUND', summary)
