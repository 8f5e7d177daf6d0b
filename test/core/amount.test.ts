import { expect, test } from 'vitest'
import { medianAmount } from '../../src/core/amount.ts'
import { usdOf } from '../../src/core/token.ts'

const median = (...values: bigint[]) =>
  medianAmount(values.map((wei) => ({ token: usdOf(1), wei })))?.wei

test('medianAmount: the middle, of two middles the larger, of none nothing', () => {
  expect([median(3n, 1n, 2n), median(4n, 1n, 3n, 2n), median(7n), median()]).toEqual([
    2n,
    3n,
    7n,
    undefined,
  ])
  // As text 10 would come before 9.
  expect(median(9n, 10n, 8n)).toBe(9n)
})
