import type { Checklist } from '../../core/check.ts'
import type { Quoted } from '../stages.ts'
import type { Decoded } from './decode.ts'
import type { Pins } from './pins.ts'

/** The service's clock may run this far ahead of ours, in seconds. */
const clockSlackSeconds = 5

/**
 * Every order's deadline leaves time to be mined and is no later than the requested one.
 *
 * A quote that stays good longer than requested is not a gift: signed bytes that can settle later are a risk we hold.
 * The chain's own time is compared in the simulation. Returns the earliest, Unix seconds.
 */
export function checkDeadlines(
  {
    quoted: { expirySeconds },
    decoded: { orders },
    pins,
    now,
  }: { quoted: Quoted; decoded: Decoded; pins: Pins; now: number },
  checks: Checklist,
): number {
  // Compared as the integers they are: a uint256 as a number is another one.
  const deadlines = orders
    .map(({ order }) => order.deadlineTimestamp)
    .toSorted((a, b) => (a < b ? -1 : 1))
  const earliest = deadlines.at(0) ?? 0n
  const latest = deadlines.at(-1) ?? 0n
  const soonest = now + pins.timeToDeadlineSecondsMin
  const furthest = now + expirySeconds + clockSlackSeconds
  checks.holds(
    'deadline-far-enough',
    earliest >= soonest,
    `at least ${soonest}, ${pins.timeToDeadlineSecondsMin} s (policy.minTimeToDeadline) from now`,
    earliest,
  )
  checks.holds(
    'deadline-near-enough',
    latest <= furthest,
    `at most ${furthest}, the ${expirySeconds} s that were asked for`,
    latest,
  )
  return Number(earliest)
}
