import type { NewLock } from '../lock.ts'
import type { Limits } from './limits.ts'

/** Block times are whole seconds, and who makes a block keeps time to about one. */
const headAheadMsMax = 2_000

/** What is known of three clocks. Instants in milliseconds since the epoch. */
type Clocks = {
  readonly at: number
  readonly headAt: number
  /** How far the service's clock is ahead of this one; undefined where it did not say. */
  readonly serviceAheadMs: number | undefined
}

/**
 * The lock that clocks which disagree open. Pure: facts in, locks out.
 *
 * It is judged of every head, one that is too old to decide on included: to a clock that runs ahead every head is old.
 */
export function tripAtHead(
  { at, headAt, serviceAheadMs }: Clocks,
  { clock: { aheadMs, serviceMs, lockMs } }: Limits,
): readonly NewLock[] {
  const lead = at - headAt
  const off = serviceAheadMs ?? 0
  const reasons = [
    lead > aheadMs && `this clock is ${lead} ms ahead of the newest block`,
    lead < -headAheadMsMax && `the newest block is ${-lead} ms in the future`,
    Math.abs(off) > serviceMs && `the service's clock differs by ${off} ms`,
  ].filter((reason) => reason !== false)
  if (reasons.length === 0) return []
  return [
    {
      kind: 'breaker',
      scope: 'all',
      code: 'CLOCK_SKEW',
      reason: reasons.join('; '),
      expiresAt: at + lockMs,
    },
  ]
}
