import { exitCodes } from '../exitCodes.ts'
import type { Outcome } from './outcome.ts'

const codes: Readonly<Record<Outcome['outcome'], number>> = {
  'would-swap': exitCodes.done,
  wait: exitCodes.done,
  settled: exitCodes.done,
  refused: exitCodes.refused,
  unavailable: exitCodes.upstream,
  reverted: exitCodes.unsettled,
  expired: exitCodes.unsettled,
  // Signed and not decided: whoever repeats it now may swap twice.
  pending: exitCodes.interrupted,
}

/** The exit code of a list of outcomes: the worst of them, a missing market before a refusal. */
export function exitCodeOf(outcomes: readonly Outcome[]): number {
  return outcomes.reduce((worst, { outcome }) => Math.max(worst, codes[outcome] ?? 1), 0)
}
