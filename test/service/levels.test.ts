import { describe, expect, test } from 'vitest'
import { formatDecimal, parseDecimal } from '../../src/core/decimal.ts'
import type { Token } from '../../src/core/token.ts'
import { fixedBook } from '../../src/service/makers/fixedBook.ts'
import { followBook } from '../../src/service/makers/followBook.ts'
import {
  priceScale,
  sellIntoAsks,
  sellIntoBids,
  trimAsks,
  trimBids,
} from '../../src/service/makers/levels.ts'

const token = (symbol: string, decimals: number, digit: string): Token => ({
  chainId: 31337,
  symbol,
  decimals,
  address: `0x${digit.repeat(40)}`,
})
const WETH = token('WETH', 18, '1')
const USDC = token('USDC', 6, '2')
const SHIB = token('SHIB', 2, '3')

const block = {
  number: 1,
  hash: '0x00',
  parentHash: '0x00',
  timestamp: 0,
  baseFeePerGas: 0n,
} as const

const held = () => 0n

const bookOf = (base: Token, quote: Token, levels: [string, string][]) => {
  const book = fixedBook({ base, quote, bid: levels, ask: levels, minimumInBase: '0' })
  return { book, ...book.levels({ block, held, expirySeconds: 60 }) }
}
const sell = (base: Token, quote: Token, levels: [string, string][], amount: string) => {
  const { book, bid } = bookOf(base, quote, levels)
  return sellIntoBids(book, bid, parseDecimal(amount, base.decimals))
}
const buy = (base: Token, quote: Token, levels: [string, string][], cost: string) => {
  const { book, ask } = bookOf(base, quote, levels)
  return sellIntoAsks(book, ask, parseDecimal(cost, quote.decimals))
}

describe('sellIntoBids', () => {
  test.each<[string, [string, string][], string, bigint | undefined]>([
    [
      'the documented example',
      [
        ['10', '1621.71'],
        ['15', '1621.72'],
        ['20', '1621.54'],
      ],
      '30',
      48650600000n,
    ],
    ['the first level, in part', [['10', '3000']], '0.000001', 3000n],
    ['less than a unit of the other token', [['10', '3000']], '0.0000000000000001', 0n],
    [
      'exactly the whole depth',
      [
        ['10', '3000'],
        ['15', '2990'],
      ],
      '25',
      74850000000n,
    ],
    [
      'a wei beyond the depth',
      [
        ['10', '3000'],
        ['15', '2990'],
      ],
      '25.000000000000000001',
      undefined,
    ],
    [
      'one rounding, at the end',
      [
        ['0.1', '3000.1'],
        ['0.2', '2999.7'],
      ],
      '0.3',
      899950000n,
    ],
    ['no levels', [], '1', undefined],
    [
      'an empty level is passed over',
      [
        ['0', '0'],
        ['1', '3000'],
      ],
      '1',
      3000000000n,
    ],
  ])('%s', (_name, levels, amount, expected) => {
    expect(sell(WETH, USDC, levels, amount)).toBe(expected)
  })

  test('levels are walked as they are listed, also when that is not the best order', () => {
    expect(
      sell(
        WETH,
        USDC,
        [
          ['1', '1'],
          ['1', '3000'],
        ],
        '1',
      ),
    ).toBe(1000000n)
  })

  test('tokens with few decimals and tiny prices', () => {
    expect(sell(SHIB, USDC, [['100000', '0.0000123456789']], '81000.5')).toBe(1000006n)
    expect(sell(SHIB, WETH, [['1', '0.000000000012']], '0.01')).toBe(120000n)
  })
})

describe('sellIntoAsks', () => {
  test.each<[string, [string, string][], string, bigint | undefined]>([
    [
      'a level in part, rounded down',
      [
        ['10', '3010'],
        ['15', '3020'],
      ],
      '50000',
      16589403973509933774n,
    ],
    [
      'a level exactly',
      [
        ['10', '3010'],
        ['15', '3020'],
      ],
      '30100',
      10n * 10n ** 18n,
    ],
    [
      'the whole depth',
      [
        ['10', '3010'],
        ['15', '3020'],
      ],
      '75400',
      25n * 10n ** 18n,
    ],
    [
      'a unit beyond the depth',
      [
        ['10', '3010'],
        ['15', '3020'],
      ],
      '75400.000001',
      undefined,
    ],
  ])('%s', (_name, levels, cost, expected) => {
    expect(buy(WETH, USDC, levels, cost)).toBe(expected)
  })
})

describe('trimLevels', () => {
  const { book, bid, ask } = bookOf(WETH, USDC, [
    ['10', '3000'],
    ['0', '1'],
    ['15', '2990'],
  ])

  test('bids end where the money ends', () => {
    const kept = trimBids(book, bid, 40_000n * 10n ** 6n)
    expect(kept.map(({ amount }) => formatDecimal(amount, 18))).toEqual(['10', '3.34448160535117'])
  })
  test('asks end where the tokens end', () => {
    const kept = trimAsks(ask, 10n * 10n ** 18n)
    expect(kept.map(({ amount }) => formatDecimal(amount, 18))).toEqual(['10'])
  })
  test('enough of both keeps all', () => {
    expect(trimAsks(ask, 25n * 10n ** 18n)).toHaveLength(2)
    expect(trimBids(book, bid, 74_850n * 10n ** 6n)).toHaveLength(2)
  })
  test('nothing offers nothing', () => {
    expect(trimAsks(ask, 0n)).toEqual([])
    expect(trimBids(book, bid, 0n)).toEqual([])
  })
})

describe('followBook', () => {
  const follow = { halfSpreadBps: 4, sizes: ['1', '4'], stepBps: 2, volatility: 0.7 }
  const priceOf = (price: number | undefined) =>
    followBook({ base: WETH, quote: USDC, follow, minimumInBase: '0', priceAt: () => price })
  const text = (price: bigint) => formatDecimal(price, priceScale)

  test('without volatility the spread is what is written, level by level', () => {
    const still = followBook({
      base: WETH,
      quote: USDC,
      follow: { ...follow, volatility: 0 },
      minimumInBase: '0',
      priceAt: () => 3000,
    })
    const { bid, ask } = still.levels({ block, held, expirySeconds: 60 })
    expect(bid.map(({ price }) => text(price))).toEqual(['2998.8', '2998.2'])
    expect(ask.map(({ price }) => text(price))).toEqual(['3001.2', '3001.8'])
    expect(bid.map(({ amount }) => formatDecimal(amount, 18))).toEqual(['1', '4'])
  })

  test.each([
    [10, 1.57],
    [30, 2.72],
    [60, 3.85],
    [120, 5.45],
  ])('%i seconds of time cost %f basis points at 70 percent volatility', (expirySeconds, bps) => {
    const { bid } = priceOf(10_000).levels({ block, held, expirySeconds })
    const cost = 10_000 - Number(text(bid[0]?.price ?? 0n)) - 4
    expect(cost).toBeCloseTo(bps, 2)
  })

  test('no level has more than 15 digits, whatever the price', () => {
    for (const price of [
      1e-9,
      0.00001234567,
      1 / 3,
      12.3456789012345,
      98765.4321,
      123456789012.34,
    ]) {
      const { bid, ask } = priceOf(price).levels({ block, held, expirySeconds: 60 })
      for (const level of [...bid, ...ask]) {
        const digits = text(level.price).replace('.', '').replace(/^0+/, '').replace(/0+$/, '')
        expect(digits.length).toBeLessThanOrEqual(15)
        expect(Number(text(level.price)) / price).toBeCloseTo(1, 2)
      }
    }
  })

  test('without a price nothing is offered', () => {
    for (const price of [undefined, 0, -1, Number.NaN, Number.POSITIVE_INFINITY])
      expect(priceOf(price).levels({ block, held, expirySeconds: 60 })).toEqual({
        bid: [],
        ask: [],
      })
  })
})
