import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Block } from '../../../src/chain/calls/node.ts'
import { formatDecimal, parseDecimal } from '../../../src/core/decimal.ts'
import type { Token } from '../../../src/core/token.ts'
import { createVolatility } from '../../../src/service/makers/createVolatility.ts'
import { type Follow, followBook } from '../../../src/service/makers/followBook.ts'
import {
  levelsToOffer,
  priceScale,
  sellIntoAsks,
  sellIntoBids,
} from '../../../src/service/makers/levels.ts'

const WETH: Token = {
  chainId: 31337,
  symbol: 'WETH',
  decimals: 18,
  address: `0x${'1'.repeat(40)}`,
}
const USDC: Token = { ...WETH, symbol: 'USDC', decimals: 6, address: `0x${'2'.repeat(40)}` }
const block = (timestamp = 0): Block => ({
  number: timestamp,
  hash: '0x00',
  parentHash: '0x00',
  timestamp,
  baseFeePerGas: 0n,
})
const still: Follow = { halfSpreadBps: 4, sizes: ['1', '4'], stepBps: 2, volatility: 0 }
const bookOf = (
  follow: Follow,
  priceAt: Parameters<typeof followBook>[0]['priceAt'] = () => 10_000,
) => followBook({ base: WETH, quote: USDC, follow, minimumInBase: '0', priceAt })
const prices = (levels: readonly { readonly price: bigint }[]) =>
  levels.map(({ price }) => Number(formatDecimal(price, priceScale)))
const at = (expirySeconds: number, inWeth = '0') => ({
  block: block(),
  expirySeconds,
  held: () => parseDecimal(inWeth, 18),
})

describe('followBook: what makes a price', () => {
  test('one that leans offers nothing while its holding is not known', () => {
    const skew = { bps: 10, target: '100', limit: '50' }
    const unknown = { ...at(60), held: () => undefined }
    expect(bookOf({ ...still, skew }).levels(unknown)).toEqual({ bid: [], ask: [] })
    expect(bookOf(still).levels(unknown).bid).toHaveLength(2)
  })

  test('sizes may be given by the first, doubling', () => {
    const { bid } = bookOf({ ...still, sizes: { first: '0.5', count: 4 } }).levels(at(60))
    expect(bid.map(({ amount }) => formatDecimal(amount, 18))).toEqual(['0.5', '1', '2', '4'])
  })

  test('levels are marginal: their average is the average price of the size', () => {
    const follow = { ...still, stepBps: 0, impactBps: 10, sizes: ['1', '2', '4', '8'] }
    const { bid, ask } = bookOf(follow).levels(at(60))
    const average = (levels: typeof bid) =>
      prices(levels).reduce((sum, price, index) => sum + price * 2 ** index, 0) / 15
    // 4 bps of half spread and 10 of impact at the whole size, on either side.
    expect(average(bid)).toBeCloseTo(10_000 * (1 - 0.0014), 4)
    expect(average(ask)).toBeCloseTo(10_000 * (1 + 0.0014), 4)
    expect(prices(bid)).toEqual([...prices(bid)].sort((a, b) => b - a))
  })

  test.each([
    ['at its target the book is centred', '100', 0],
    ['half way to the limit, half of the skew', '150', -10],
    ['long lowers both sides', '200', -20],
    ['beyond the limit no further', '900', -20],
    ['short raises both', '0', 20],
  ])('%s', (_name, inWeth, shiftBps) => {
    const skew = { bps: 20, target: '100', limit: '100' }
    const { bid, ask } = bookOf({ ...still, sizes: ['1'], skew }).levels(at(60, inWeth))
    const shift = 10_000 * (shiftBps / 10_000)
    expect(prices(bid)[0]).toBeCloseTo(9_996 + shift, 6)
    expect(prices(ask)[0]).toBeCloseTo(10_004 + shift, 6)
  })

  test('a reference that is older than five seconds pulls the quotes', () => {
    const withAge = (ageMs: number) => bookOf(still, () => ({ price: 10_000, ageMs }))
    expect(withAge(5_000).levels(at(60)).bid).toHaveLength(2)
    expect(withAge(5_001).levels(at(60))).toEqual({ bid: [], ask: [] })
  })

  test('a market that moves more than the limit pulls the quotes, until it is calm again', () => {
    let price = 10_000
    const book = bookOf({ ...still, volatility: 0.7, volatilityMax: 5 }, () => price)
    const offered = (timestamp: number) =>
      book.levels({ ...at(60), block: block(timestamp) }).bid.length > 0
    expect(offered(0)).toBe(true)
    price = 10_005
    expect(offered(1)).toBe(true)
    // Three percent in a second is thousands of percent a year.
    price = 10_300
    expect(offered(2)).toBe(false)
    for (let second = 3; second < 600; second += 1) offered(second)
    expect(offered(600)).toBe(true)
  })

  test('what is measured is charged when it is more than what is expected', () => {
    let price = 10_000
    const book = bookOf({ ...still, sizes: ['1'], volatility: 0.1, volatilityMax: 50 }, () => price)
    const half = (timestamp: number) => {
      const { bid, ask } = book.levels({ ...at(60), block: block(timestamp) })
      return ((prices(ask)[0] ?? 0) - (prices(bid)[0] ?? 0)) / 2 / price
    }
    const calm = half(0)
    price = 10_050
    expect(half(1)).toBeGreaterThan(calm * 1.5)
  })
})

describe('createVolatility', () => {
  test('measures the volatility a walk was made with', () => {
    const perSecond = 0.7 / Math.sqrt(365 * 24 * 60 * 60)
    const volatility = createVolatility({ expected: 0.1, halfLifeSeconds: 600 })
    let price = 3_000
    let seen = 0
    for (let second = 0; second < 10_000; second += 1) {
      // Plus or minus one deviation: its variance is that of the walk.
      price *= Math.exp((second * 7919) % 13 < 6 ? perSecond : -perSecond)
      seen = volatility.at(block(second), price)
    }
    expect(seen).toBeCloseTo(0.7, 2)
  })

  test('asking twice, or about an earlier block, changes nothing', () => {
    const volatility = createVolatility({ expected: 0.5 })
    volatility.at(block(1), 100)
    const first = volatility.at(block(2), 101)
    expect(volatility.at(block(2), 101)).toBe(first)
    expect(volatility.at(block(1), 50)).toBe(first)
  })
})

describe('levelsToOffer: every book, expiry, inventory and size', () => {
  const follow = fc.record({
    halfSpreadBps: fc.double({ min: 0, max: 50, noNaN: true }),
    stepBps: fc.double({ min: 0, max: 10, noNaN: true }),
    impactBps: fc.double({ min: 0, max: 30, noNaN: true }),
    volatility: fc.double({ min: 0, max: 3, noNaN: true }),
    sizes: fc.array(fc.constantFrom('0.001', '0.5', '1', '3.7', '20'), {
      minLength: 1,
      maxLength: 5,
    }),
    skew: fc.option(
      fc.record({
        bps: fc.double({ min: 0, max: 30, noNaN: true }),
        target: fc.constantFrom('0', '10', '100'),
        limit: fc.constantFrom('1', '50'),
      }),
      { nil: undefined },
    ),
  })
  const scene = fc.record({
    follow,
    price: fc.double({ min: 1e-6, max: 1e6, noNaN: true }),
    held: fc.bigInt({ min: 0n, max: 200n * 10n ** 18n }),
    free: fc.record({
      base: fc.bigInt({ min: 0n, max: 60n * 10n ** 18n }),
      quote: fc.bigInt({ min: 0n, max: 10n ** 12n }),
    }),
    shorter: fc.integer({ min: 1, max: 300 }),
    more: fc.integer({ min: 0, max: 300 }),
    part: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  type Scene = typeof scene extends fc.Arbitrary<infer value> ? value : never
  const offered = ({ follow: terms, price, held, free }: Scene, expirySeconds: number) => {
    const book = bookOf(terms, () => price)
    const moment = { block: block(), held: () => held }
    return levelsToOffer(book, {
      levels: book.levels({ ...moment, expirySeconds }),
      timeless: book.levels({ ...moment, expirySeconds: 0 }),
      free,
    })
  }
  const pair = { base: WETH, quote: USDC }

  test('a shorter expiry is never a worse price, on either side', () => {
    fc.assert(
      fc.property(scene, (each) => {
        const short = offered(each, each.shorter)
        const long = offered(each, each.shorter + each.more)
        const depth = long.bid.reduce((sum, { amount }) => sum + amount, 0n)
        const cost = long.ask.reduce((sum, { amount, price }) => sum + amount * price, 0n)
        const share = (whole: bigint) =>
          (whole * BigInt(Math.floor(each.part * 1_000_000))) / 1_000_000n
        const sold = share(depth)
        expect(sellIntoBids(pair, short.bid, sold) ?? -1n).toBeGreaterThanOrEqual(
          sellIntoBids(pair, long.bid, sold) ?? -1n,
        )
        // A published amount has 15 digits, so the depth of two ask sides may differ behind them.
        const paid = share(cost / 10n ** 36n) - 1n
        if (paid <= 0n) return
        expect(sellIntoAsks(pair, short.ask, paid) ?? -1n).toBeGreaterThanOrEqual(
          sellIntoAsks(pair, long.ask, paid) ?? -1n,
        )
      }),
      { numRuns: 3_000 },
    )
  })

  test('books are monotone, and never more than what is free', () => {
    fc.assert(
      fc.property(scene, (each) => {
        const { bid, ask } = offered(each, each.shorter)
        for (const [index, { price }] of bid.entries())
          if (index > 0) expect(price).toBeLessThanOrEqual(bid[index - 1]?.price ?? 0n)
        for (const [index, { price }] of ask.entries())
          if (index > 0) expect(price).toBeGreaterThanOrEqual(ask[index - 1]?.price ?? 0n)
        const sold = bid.reduce((sum, { amount }) => sum + amount, 0n)
        if (sold > 0n)
          expect(sellIntoBids(pair, bid, sold) ?? 0n).toBeLessThanOrEqual(each.free.quote)
        const bought = ask.reduce((sum, { amount }) => sum + amount, 0n)
        expect(bought).toBeLessThanOrEqual(each.free.base)
      }),
      { numRuns: 3_000 },
    )
  })
})
