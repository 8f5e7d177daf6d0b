import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { amountOf, type Price, sliceWithin, worthInto } from '#strategy'

const weth = { chainId: 31337, address: '0x01', symbol: 'WETH', decimals: 18 } as const
const usdc = { chainId: 31337, address: '0x02', symbol: 'USDC', decimals: 6 } as const
const level = (size: string, price: string): Price => ({
  sold: amountOf(weth, size),
  bought: {
    token: usdc,
    wei: (amountOf(weth, size).wei * amountOf(usdc, price).wei) / 10n ** 18n,
  },
})
const book = [level('10', '3000'), level('15', '2990')]

/** The same questions, answered by walking wei by wei in rationals. */
const bruteForce = (levels: readonly Price[], impactBps: number): bigint => {
  const [best] = levels
  if (best === undefined) return 0n
  let [most, sold] = [0n, 0n]
  let [numerator, denominator] = [0n, 1n]
  for (const { sold: size, bought } of levels)
    for (let unit = 0n; unit < size.wei; unit++) {
      numerator = numerator * size.wei + bought.wei * denominator
      denominator *= size.wei
      sold += 1n
      const within =
        numerator * best.sold.wei * 10_000n >=
        best.bought.wei * BigInt(10_000 - impactBps) * sold * denominator
      if (!within) return most
      most = sold
    }
  return most
}

const books = fc.array(
  fc.record({ sold: fc.bigInt(1n, 12n), bought: fc.bigInt(0n, 5_000n) }).map(
    ({ sold, bought }): Price => ({
      sold: { token: weth, wei: sold },
      bought: { token: usdc, wei: bought },
    }),
  ),
  { minLength: 1, maxLength: 5 },
)

describe('sliceWithin', () => {
  test.each([
    [0, '10'],
    [10, '14.285714285714285714'],
    [20, '25'],
    [21, '25'],
  ])('the worked example: %d bps of 10 at 3000 and 15 at 2990 are %s', (impact, decimal) => {
    expect(sliceWithin(book, impact)).toEqual(amountOf(weth, decimal))
  })

  test('is nothing of an empty book, and nothing is invented beyond its depth', () => {
    expect(sliceWithin([], 10)).toBeUndefined()
    expect(sliceWithin(book, 10_000)).toEqual(amountOf(weth, '25'))
  })

  test('is what a walk wei by wei finds, for any book in any order', () => {
    fc.assert(
      fc.property(books, fc.integer({ min: 0, max: 10_000 }), (levels, impact) => {
        const found = sliceWithin(levels, impact)?.wei ?? 0n
        const walked = bruteForce(levels, impact)
        // A book that gets better deeper down may dip and recover within one level: the formula looks at level ends.
        const descending = levels.every((one, at) => {
          const before = levels[at - 1]
          return (
            before === undefined ||
            before.bought.wei * one.sold.wei >= one.bought.wei * before.sold.wei
          )
        })
        if (descending) expect(found).toBe(walked)
        else expect(found).toBeGreaterThanOrEqual(walked)
      }),
      { numRuns: 2_000 },
    )
  })

  test('what it finds is within the impact by the walk of the book, to one unit bought', () => {
    fc.assert(
      fc.property(books, fc.integer({ min: 0, max: 10_000 }), (levels, impact) => {
        const slice = sliceWithin(levels, impact)
        const [best] = levels
        if (slice === undefined || best === undefined || slice.wei === 0n) return
        const brings = worthInto(levels, slice)?.wei ?? 0n
        expect((brings + 1n) * best.sold.wei * 10_000n).toBeGreaterThanOrEqual(
          best.bought.wei * BigInt(10_000 - impact) * slice.wei,
        )
      }),
    )
  })
})

describe('worthInto', () => {
  test.each([
    ['4', '12000'],
    ['10', '30000'],
    ['10.0000001', '30000.000299'],
    ['14.285714285714285714', '42814.285714'],
    ['25', '74850'],
  ])('%s WETH bring %s USDC', (size, brings) => {
    expect(worthInto(book, amountOf(weth, size))).toEqual(amountOf(usdc, brings))
  })

  test('does not know what is beyond the book', () => {
    expect(worthInto(book, { token: weth, wei: amountOf(weth, '25').wei + 1n })).toBeUndefined()
    expect(worthInto([], amountOf(weth, '1'))).toBeUndefined()
  })
})
