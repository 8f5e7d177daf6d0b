import type { Outcome } from '../app/outcome.ts'
import type { RunState } from '../bot/report/attention.ts'
import { type BallastError, isPassing } from '../core/errors.ts'
import type { Fault } from '../core/errorTable.ts'

/** How the process ends for each kind of failure. Scripts depend on these numbers. */
export const exitCodes: Readonly<Record<Fault | 'done' | 'again' | 'interrupted', number>> = {
  done: 0,
  internal: 1,
  usage: 2,
  refused: 3,
  upstream: 4,
  locked: 5,
  unsettled: 6,
  // EX_TEMPFAIL of sysexits.h.
  again: 75,
  interrupted: 130,
}

/** How a command ends with an error. */
export const exitCodeOfError = ({ fault }: BallastError): number => exitCodes[fault]

/** How the unattended bot ends with an error: a supervisor starts it again where the cause passes by itself. */
export const exitCodeOfRun = (error: BallastError): number =>
  isPassing(error) ? exitCodes.again : exitCodes[error.fault]

const codes: Readonly<Record<Outcome['outcome'], number>> = {
  'would-swap': exitCodes.done,
  wait: exitCodes.done,
  settled: exitCodes.done,
  refused: exitCodes.refused,
  unavailable: exitCodes.upstream,
  reverted: exitCodes.unsettled,
  expired: exitCodes.unsettled,
  // Signed and not decided: a person who repeats it now may swap twice.
  pending: exitCodes.interrupted,
}

/** The exit code of a list of outcomes: the worst of them, a missing market before a refusal. */
export function exitCodeOf(outcomes: readonly Outcome[]): number {
  return outcomes.reduce((worst, { outcome }) => Math.max(worst, codes[outcome] ?? 1), 0)
}

/** What `status --check` ends with, apart from all other codes; 0 is left for a bot that runs and needs nothing. */
const checkCodes: Readonly<Record<RunState, number>> = {
  RUNNING: 10,
  PAUSED: 11,
  STALE: 12,
  DEAD: 13,
  NEVER: 14,
  UNKNOWN: 15,
}

/** The exit code for monitors: 0 where the bot runs and nothing needs attention. */
export const checkCodeOf = (state: RunState, attention: readonly unknown[]): number =>
  state === 'RUNNING' && attention.length === 0 ? exitCodes.done : checkCodes[state]
