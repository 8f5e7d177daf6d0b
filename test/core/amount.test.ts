import { expect, test } from 'vitest'
import { medianAmount, parseAmount } from '../../src/core/amount.ts'
import { usdOf } from '../../src/core/token.ts'
import { readPrice } from '../../src/core/writtenPrice.ts'

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

const token = (symbol: string, decimals: number, digit: string) =>
  ({ chainId: 1, address: `0x${digit.repeat(40)}`, symbol, decimals }) as const
const bySymbol = new Map(
  [token('WETH', 18, '1'), token('USDC', 6, '2')].map((one) => [one.symbol, one]),
)

test.each([
  ['3.500', '3500', '3.5'],
  ['25.000', '25000', '25'],
  ['123.450', '123450', '123.45'],
])('a point that may be one of thousands is refused: %s', (written, thousands, fraction) => {
  expect(() => parseAmount(`${written} USDC`, bySymbol)).toThrow(
    `'${written} USDC' may be meant as thousands: write '${thousands} USDC' or '${fraction} USDC'.`,
  )
  expect(() => readPrice(`${written} USDC per WETH`, bySymbol)).toThrow(
    `write '${thousands} USDC per WETH' or '${fraction} USDC per WETH'.`,
  )
})

test.each(['0.500', '3.5', '3.50', '3.456', '3.4500', '1234.500', '12.345'])(
  'a point that is one of a fraction is read: %s',
  (written) => {
    expect(parseAmount(`${written} USDC`, bySymbol).wei).toBe(
      BigInt(Math.round(Number(written) * 1e6)),
    )
    expect(readPrice(`${written} USDC per WETH`, bySymbol).units).toBeGreaterThan(0n)
  },
)
