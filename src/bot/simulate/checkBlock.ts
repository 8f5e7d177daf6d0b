import type { Base } from '../../chain/calls/simulate.ts'
import type { Checklist } from '../../core/check.ts'
import type { Sight } from './look.ts'

/** A node's clock and ours may differ by this much, and by no more: deadlines are judged by both. */
const headAheadSecondsMax = 30

/** The endpoint is the right chain, awake, and spoke of one block throughout. */
export function checkBlock(
  { chainId, head, bases }: Pick<Sight, 'chainId' | 'head' | 'bases'>,
  {
    bounds,
    now,
    deadline,
  }: {
    bounds: { chainId: number; headAgeSecondsMax: number; timeToDeadlineSecondsMin: number }
    /** Unix seconds. */
    now: number
    deadline: number
  },
  checks: Checklist,
): void {
  checks.equal('chain-id', bounds.chainId, chainId)
  const age = now - head.timestamp
  checks.holds(
    'head-age',
    age <= bounds.headAgeSecondsMax,
    `at most ${bounds.headAgeSecondsMax} s`,
    `${age} s`,
  )
  checks.holds(
    'head-ahead',
    age >= -headAheadSecondsMax,
    `at most ${headAheadSecondsMax} s ahead of our clock`,
    `${-age} s`,
  )
  const stray = bases.find((base) => !isOn(base, head))
  checks.equal(
    'same-block',
    `${head.number} ${head.hash}`,
    stray === undefined
      ? `${head.number} ${head.hash}`
      : `${stray.number} ${stray.hash ?? stray.parentHash ?? ''}`,
  )
  const earliest = head.timestamp + bounds.timeToDeadlineSecondsMin
  checks.holds('deadline-on-chain', deadline >= earliest, `at least ${earliest}`, deadline)
}

/** By number always, by hash where the node gives one. */
const isOn = (base: Base, head: Sight['head']) =>
  base.number === head.number &&
  (base.hash ?? head.hash) === head.hash &&
  (base.parentHash ?? head.parentHash) === head.parentHash
