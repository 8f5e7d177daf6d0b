import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { OrderPair } from '../../../../src/api/orderbook.ts'
import { formatDecimal, parseDecimal } from '../../../../src/core/decimal.ts'
import type { Token } from '../../../../src/core/token.ts'
import { readRows } from '../../../../src/service/makers/http/readRows.ts'
import { priceScale } from '../../../../src/service/makers/levels.ts'

const WETH: Token = { chainId: 1, symbol: 'WETH', decimals: 18, address: `0x${'1'.repeat(40)}` }
const USDC: Token = { ...WETH, symbol: 'USDC', decimals: 6, address: `0x${'2'.repeat(40)}` }
const row = (levels: [number, number][], side: 'bid' | 'ask' = 'bid'): OrderPair => ({
  base_symbol: 'WETH',
  base_address: WETH.address,
  quote_symbol: 'USDC',
  quote_address: USDC.address,
  levels,
  side,
  minimum_in_base: 0.01,
})
const read = (rows: readonly OrderPair[]) => readRows(rows, [[WETH, USDC]])

describe('readRows', () => {
  test('any number of up to 15 digits is exactly what was written, also with an exponent', () => {
    const digits = fc.bigInt({ min: 1n, max: 10n ** 15n - 1n })
    fc.assert(
      fc.property(digits, fc.nat(18), digits, fc.nat(priceScale), (amount, point, price, scale) => {
        const text = formatDecimal(amount, point)
        const priceText = formatDecimal(price, scale)
        const [book] = read([row([[Number(text), Number(priceText)]])])
        expect(book?.levels.bid).toEqual([
          { amount: parseDecimal(text, 18), price: parseDecimal(priceText, priceScale) },
        ])
      }),
      { numRuns: 2_000 },
    )
  })

  test.each<[string, OrderPair[]]>([
    [
      'a bid above the one before',
      [
        row([
          [1, 3000],
          [1, 3001],
        ]),
      ],
    ],
    [
      'an ask below the one before',
      [
        row(
          [
            [1, 3000],
            [1, 2999],
          ],
          'ask',
        ),
      ],
    ],
    ['an amount below the smallest unit', [row([[1e-19, 3000]])]],
    ['a price nobody can write', [row([[1, 1e300]])]],
  ])('refuses %s', (_name, rows) => {
    expect(() => read(rows)).toThrow()
  })

  test('what it may not trade is not read', () => {
    const other = {
      ...row([
        [1, 1],
        [1, 2],
      ]),
      quote_address: WETH.address,
    }
    expect(read([other])).toEqual([
      { base: WETH, quote: USDC, minimumWei: 0n, levels: { bid: [], ask: [] } },
    ])
  })
})
