import pg from 'pg'
import { BallastError } from '../../../core/errors.ts'

/** What the server calls an error; undefined where it was not the server that said it. */
export function stateOf(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined
}

/** Classes and codes with which the server ends a connection, or will not have one: 08, 53, 57P and time in a transaction. */
const ending = /^(?:08|53|57P|25P0[34])/

/** Whether nothing more can be asked on this connection, so that what was asked last may or may not have been done. */
export function isCutOff(error: unknown): boolean {
  const state = stateOf(error)
  return state === undefined || ending.test(state)
}

/** Another writer, or the statement itself, did not finish in the time that is waited for it: nothing of it was kept. */
export const isTimeout = (error: unknown) => ['55P03', '57014'].includes(stateOf(error) ?? '')

export const busy = (name: string, cause: unknown) =>
  failed('The journal was busy for too long.', { code: 'JOURNAL_BUSY', name, cause })

/** The server is away. Nothing is signed without it; what is signed is followed when it is back. */
export const journalUnreachable = (name: string, cause: unknown) =>
  failed('The journal could not be reached.', { code: 'JOURNAL_UNREACHABLE', name, cause })

/** The connection ended between COMMIT and its answer: what was to be written is there, or is not. */
export const commitUnknown = (name: string, cause: unknown) =>
  failed('The journal did not say whether it kept what was written.', {
    code: 'COMMIT_UNKNOWN',
    name,
    cause,
  })

function failed(
  sentence: string,
  { code, name, cause }: { code: string; name: string; cause: unknown },
): BallastError {
  return new BallastError(sentence, {
    code,
    remedy: 'retry',
    fault: 'upstream',
    facts: { journal: name, reason: cause instanceof Error ? cause.message : String(cause) },
    cause,
  })
}
