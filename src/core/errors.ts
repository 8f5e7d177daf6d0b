import { display, foreignMax } from './display.ts'
import { type ErrorCode, errorTable, type Fault, type Remedy } from './errorTable.ts'

/** The numbers and names behind a failure. Never a secret. */
export type Facts = Readonly<Record<string, string | number | bigint | boolean | undefined>>

type Details = {
  /** Stable, UPPER_SNAKE_CASE: monitoring depends on it. */
  readonly code: string
  readonly remedy: Remedy
  readonly fault: Fault
  readonly facts?: Facts
  readonly cause?: unknown
}

/** Base of every error this project throws on purpose: one sentence, then the facts, then the cause. */
export class BallastError extends Error {
  readonly code: string
  readonly remedy: Remedy
  readonly fault: Fault
  readonly summary: string
  readonly facts: Facts

  constructor(summary: string, { code, remedy, fault, facts = {}, cause }: Details) {
    const lines = Object.entries(facts)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `  ${name}: ${display(String(value), foreignMax)}`)
    // What cannot be read as JSON is quoted by its error, and may be a key in the wrong place.
    const isQuoting = cause instanceof SyntaxError && cause.message.includes('JSON')
    super([summary, ...lines].join('\n'), cause === undefined || isQuoting ? undefined : { cause })
    this.name = new.target.name
    this.code = code
    this.remedy = remedy
    this.fault = fault
    this.summary = summary
    this.facts = facts
  }
}

/** A failure of the {@link errorTable}: a sentence, then the facts, then the cause. */
export function ballastError(
  code: ErrorCode,
  summary: string,
  facts: Facts = {},
  cause?: unknown,
): BallastError {
  const { remedy, fault } = errorTable[code]
  return new BallastError(summary, { code, remedy, fault, facts, cause })
}

const heldByOthers: readonly string[] = ['LEASE_LOST', 'JOURNAL_LOCKED', 'WALLET_LOCKED']

/**
 * A failure that ends without a person: the same start, later, may go well. A lost lease is one, because the next start
 * follows what is signed before anything new; so is a journal or a wallet that another process holds, because that one
 * may be ending.
 */
export const isPassing = ({ code, fault, remedy, facts }: BallastError): boolean =>
  (fault === 'upstream' && remedy === 'retry') ||
  heldByOthers.includes(code) ||
  (code === 'HTTP_REDIRECT' && temporaryStatuses.includes(Number(facts.status)))

/** Of a captive portal, or of a server under maintenance. */
const temporaryStatuses = [302, 303, 307]

/** A call that was not understood: its sentence says what to write instead. */
export const usageError = (summary: string, facts: Facts = {}, cause?: unknown): BallastError =>
  ballastError('USAGE', summary, facts, cause)
