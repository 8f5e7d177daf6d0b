import { decodeErrorResult } from 'viem'
import { swapRouterAbi } from '../../../contracts/abi/swapRouter.ts'
import type { Hex } from '../../chain/calls/fields.ts'
import type { SimulationResult } from '../../chain/calls/simulate.ts'
import type { Checklist } from '../../core/check.ts'
import { display } from '../../core/display.ts'
import { wordOf } from './deltasOf.ts'
import { isOn, type SimulationLook } from './look.ts'
import { type Question, questionChecks } from './questions.ts'

/** A node's clock and ours may differ by this much, and by no more: deadlines are judged by both. */
const headAheadSecondsMax = 30

/** The endpoint is the right chain, awake, and spoke of one block throughout. */
export function checkBlock(
  { chainId, head, bases }: Pick<SimulationLook, 'chainId' | 'head' | 'bases'>,
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

/** Notes one check for each kind of question. An invalid answer does not hold. */
export function checkAnswers(
  questions: readonly Question[],
  answers: readonly SimulationResult[],
  checks: Checklist,
): void {
  const answered = questions.map((question, index) => {
    const word = wordOf(answers[index])
    return { ...question, ok: word !== undefined && question.holds(word) }
  })
  for (const name of questionChecks) {
    const asked = answered.filter(({ check }) => check === name)
    if (asked.length === 0) continue
    const wrong = asked.filter(({ ok }) => !ok).map(({ about }) => about)
    checks.equal(name, 'as quoted', wrong.length === 0 ? 'as quoted' : wrong.join('; '))
  }
}

/** Why the router refused, in its own words: `OrderExpired(0, 1795175623)`. The bytes where it has no name for it. */
export function revertName(data: Hex): string {
  // A token may revert with megabytes; none of the router's own errors is near this long.
  if (data.length > 2_048) return `${data.slice(0, 66)}… (${data.length} characters)`
  try {
    const { errorName, args = [] } = decodeErrorResult({ abi: swapRouterAbi, data })
    return display(`${errorName}(${(args as readonly unknown[]).join(', ')})`)
  } catch {
    // Not an error of the router: a token's own, or none at all.
    return data === '0x' ? 'no reason' : display(data)
  }
}
