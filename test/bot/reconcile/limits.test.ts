import { expect, test } from 'vitest'
import { checkLimits } from '../../../src/bot/reconcile/checkLimits.ts'
import { createBreakTally } from '../../../src/bot/reconcile/createTally.ts'
import type { LimitEntry } from '../../../src/bot/spent.ts'
import type { Token } from '../../../src/core/token.ts'

const now = Date.UTC(2026, 0, 2)
const minuteMs = 60_000
const unit: Token = { chainId: 1, address: `0x${'1'.repeat(40)}`, symbol: 'USD', decimals: 0 }
const entry = (minutesAgo: number | undefined, notional: bigint): LimitEntry => ({
  ...{ swapId: 's', strategy: 'a', chainId: 1, wallet: unit.address, state: 'SETTLED' },
  ...{ sell: unit.address, buy: undefined, amountIn: 0n, notional, unit: unit.address },
  signedAt: minutesAgo === undefined ? undefined : now - minutesAgo * minuteMs,
  createdAt: now,
})

/** What the check says of swaps of these strategies a minute ago, each of 60, where 100 may be of a strategy. */
function saidOf(
  strategies: readonly string[],
  { perDay, token = 1_000n }: { perDay: bigint; token?: bigint },
) {
  const tally = createBreakTally({ id: 'I6', says: '' }, new Map())
  const amount = (wei: bigint) => ({ token: unit, wei })
  const notional = { perHour: amount(perDay), perDay: amount(perDay), perStrategy: amount(100n) }
  const taken = strategies.map((strategy) => ({ ...entry(1, 60n), strategy, amountIn: 60n }))
  checkLimits(
    { taken, limits: { perDay: [amount(token)], notional }, at: now, changed: false },
    tally,
  )
  const { breaks, verdict } = tally.conclude('')
  return { verdict, breaks: breaks.map(({ facts }) => facts.limit) }
}

test('swaps that were booked from the chain are of no strategy, and their overrun is no break', () => {
  expect(saidOf(['recovered', 'recovered'], { perDay: 200n })).toMatchObject({ verdict: 'holds' })
  expect(saidOf(['a', 'recovered'], { perDay: 200n })).toMatchObject({ verdict: 'holds' })
  expect(saidOf(['a', 'recovered'], { perDay: 100n })).toMatchObject({
    ...{ verdict: 'unknown', breaks: [] },
  })
  expect(saidOf(['a', 'recovered'], { perDay: 200n, token: 100n })).toMatchObject({
    ...{ verdict: 'unknown', breaks: [] },
  })
  // What the bot itself signed is over the limit, whatever else was booked.
  expect(saidOf(['a', 'b', 'recovered'], { perDay: 100n }).breaks).toEqual([
    'notional per hour',
    'notional per day',
  ])
})

/** The limits that two swaps are over, where 100 may be in an hour and 1,000 in a day. */
function overrun(minutesAgo: readonly (number | undefined)[], each: bigint): readonly unknown[] {
  const tally = createBreakTally({ id: 'I6', says: '' }, new Map())
  const amount = (wei: bigint) => ({ token: unit, wei })
  const notional = { perHour: amount(100n), perDay: amount(1_000n), perStrategy: amount(1_000n) }
  const taken = minutesAgo.map((minutes) => entry(minutes, each))
  checkLimits({ taken, limits: { perDay: [], notional }, at: now, changed: false }, tally)
  const { breaks } = tally.conclude('')
  expect(breaks.every(({ code }) => code === 'LIMIT_OVERRUN')).toBe(true)
  return breaks.map(({ facts }) => facts.limit)
}

test.for<readonly [string, number, number | undefined, readonly string[], bigint?]>([
  ['both in the last hour', 1, 59, ['notional per hour']],
  ['one of them an hour ago to the second', 1, 60, []],
  ['exactly the limit', 1, 59, [], 50n],
  ['one not signed yet, which may still be', 1, undefined, ['notional per hour']],
])('the hour: %s', ([, first, second, expected, each = 60n]) =>
  expect(overrun([first, second], each)).toEqual(expected),
)
