import type { Outcome } from '../app/outcome.ts'
import type { Fault } from '../core/errorTable.ts'

/** How the process ends for each kind of failure. Scripts depend on these numbers. */
export const exitCodes: Readonly<Record<Fault | 'done' | 'interrupted', number>> = {
  done: 0,
  internal: 1,
  usage: 2,
  refused: 3,
  upstream: 4,
  locked: 5,
  unsettled: 6,
  interrupted: 130,
}

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
