import type { Block } from '../../chain/calls/node.ts'
import type { Clock } from '../../core/clock.ts'
import { secondMs } from '../../core/spans.ts'
import { disputeSecondsMax, type Observation } from '../next.ts'
import type { AttemptKind } from '../stages.ts'

const doubtMsMax = disputeSecondsMax * secondMs

/** Longer than a look with its retries: doubts further apart are two, as before and after a sleep of the machine. */
const gapMsMax = 90 * secondMs

/**
 * Counts how long every look was in doubt, by our own clock: chain time ends nothing where the chain is what stands
 * still. Called with each look's doubt; true when they have lasted for too long. A look without one begins anew, and so
 * does a restart or a sleep of the machine: a node that catches up is in doubt for a moment only.
 */
export function createDoubt({ now }: Pick<Clock, 'now'>) {
  let doubted: { readonly since: number; readonly until: number } | undefined
  return (doubt: string | undefined): boolean => {
    const at = now()
    const isOne = doubted !== undefined && at - doubted.until <= gapMsMax
    const since = doubted !== undefined && isOne ? doubted.since : at
    doubted = doubt === undefined ? undefined : { since, until: at }
    return doubted !== undefined && at - since > doubtMsMax
  }
}

/** The doubt of a chain that stands still although our clock is past the deadline; undefined where there is none. */
export function standstill(
  { number, timestamp }: Block,
  { now, deadline = 0 }: { readonly now: number; readonly deadline: number | undefined },
): string | undefined {
  const at = timestamp * secondMs
  if (now <= deadline * secondMs || now - at <= doubtMsMax) return undefined
  return `the newest block, ${number}, is of ${new Date(at).toISOString()}`
}

/** The doubt of a look at an approval: answers that contradict each other, or a chain that stands still. */
export function approvalDoubt(
  { unsettled, head }: Observation<AttemptKind>,
  { isGoneAtOneLook, now }: { readonly isGoneAtOneLook: boolean; readonly now: number },
): string | undefined {
  if (unsettled) return 'receipts and blocks do not agree'
  if (isGoneAtOneLook) return 'the nonce is spent at depth, but not at every look'
  return standstill(head, { now, deadline: undefined })
}
