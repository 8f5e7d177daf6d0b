import { BallastError, ballastError } from '../core/errors.ts'
import { withoutSecrets } from '../core/secret.ts'
import { exitCodeOfError } from './exitCodes.ts'
import type { Terminal } from './terminal.ts'

/** Reports the failure, for a person or for a script, and returns the exit code. */
export function reportFailure(
  thrown: unknown,
  {
    terminal,
    json,
    debug,
    exitCodeOf = exitCodeOfError,
  }: {
    terminal: Terminal
    json: boolean
    debug: boolean
    exitCodeOf?: ((error: BallastError) => number) | undefined
  },
): number {
  const failure = firstFailure(thrown)
  const error = failure instanceof BallastError ? failure : unexpected(failure)
  if (json) {
    const { code, summary, facts, remedy } = error
    terminal.json({ error: { code, message: summary, facts, remedy } })
  } else terminal.note(`ballast: ${withCode(error)}`)
  if (debug) terminal.note(stackOf(failure))
  return exitCodeOf(error)
}

/** The failure of the work itself, where closing what it had opened failed as well. */
export const firstFailure = (failure: unknown): unknown =>
  failure instanceof SuppressedError ? firstFailure(failure.suppressed) : failure

/** The part a person reads aloud and looks up. The sentence alone explains a call that was not understood. */
function withCode({ message, code }: BallastError): string {
  return code === 'USAGE' ? message : message.replace(/$/m, ` (${code})`)
}

function unexpected(failure: unknown): BallastError {
  const message = failure instanceof Error ? failure.message : String(failure)
  return ballastError(
    'INTERNAL',
    `Unexpected failure: ${withoutSecrets(message).slice(0, 1_000)}`,
    { hint: 'LOG_LEVEL=debug shows where' },
    failure,
  )
}

function stackOf(failure: unknown): string {
  if (!(failure instanceof Error)) return String(failure)
  const cause = failure.cause === undefined ? '' : `\ncaused by ${stackOf(failure.cause)}`
  return (failure.stack ?? failure.message) + cause
}
