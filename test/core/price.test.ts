import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  comparePrices,
  crossPrices,
  differencePpm,
  invertPrice,
  minimumAt,
  type Price,
  showPrice,
  worthAt,
} from '../../src/core/price.ts'
import type { Token } from '../../src/core/token.ts'

const weth: Token = {
  chainId: 1,
  address: '0x00000000000000000000000000000000000000aa',
  symbol: 'WETH',
  decimals: 18,
}
const usdc: Token = {
  chainId: 1,
  address: '0x00000000000000000000000000000000000000bb',
  symbol: 'USDC',
  decimals: 6,
}

const wei = fc.bigInt({ min: 1n, max: 2n ** 128n })
const price = fc
  .record({ sold: wei, bought: wei })
  .map(({ sold, bought }) => priceOf({ sold, bought }))

function priceOf({ sold, bought }: { sold: bigint; bought: bigint }): Price {
  return { sold: { token: weth, wei: sold }, bought: { token: usdc, wei: bought } }
}

describe('comparePrices', () => {
  test('is reflexive and antisymmetric', () => {
    fc.assert(
      fc.property(price, price, (a, b) => {
        expect(comparePrices(a, a)).toBe(0)
        expect(comparePrices(a, b) + comparePrices(b, a)).toBe(0)
      }),
    )
  })

  test('is transitive', () => {
    fc.assert(
      fc.property(price, price, price, (a, b, c) => {
        const [low, middle, high] = [a, b, c].sort(comparePrices) as [Price, Price, Price]
        expect(comparePrices(low, middle)).toBeLessThanOrEqual(0)
        expect(comparePrices(middle, high)).toBeLessThanOrEqual(0)
        expect(comparePrices(low, high)).toBeLessThanOrEqual(0)
      }),
    )
  })

  test('does not depend on the size of the trade', () => {
    fc.assert(
      fc.property(price, fc.bigInt({ min: 1n, max: 10n ** 12n }), (a, factor) => {
        const scaled = priceOf({ sold: a.sold.wei * factor, bought: a.bought.wei * factor })
        expect(comparePrices(a, scaled)).toBe(0)
      }),
    )
  })

  test('sees a difference of one smallest unit', () => {
    fc.assert(
      fc.property(price, (a) => {
        const better = priceOf({ sold: a.sold.wei, bought: a.bought.wei + 1n })
        expect(comparePrices(a, better)).toBe(-1)
      }),
    )
  })

  test('refuses prices of different pairs', () => {
    const there = priceOf({ sold: 1n, bought: 2n })
    const back: Price = { sold: there.bought, bought: there.sold }
    expect(() => comparePrices(there, back)).toThrow('one pair')
  })
})

describe('minimumAt', () => {
  test('is the least amount that is not below the price', () => {
    fc.assert(
      fc.property(price, wei, (at, sell) => {
        const minimum = minimumAt(at, { token: weth, wei: sell })
        const got = (bought: bigint) => priceOf({ sold: sell, bought })
        expect(comparePrices(got(minimum.wei), at)).toBeGreaterThanOrEqual(0)
        expect(comparePrices(got(minimum.wei - 1n), at)).toBe(-1)
        expect(minimum.token).toBe(usdc)
      }),
    )
  })

  test('never asks less for more', () => {
    fc.assert(
      fc.property(price, wei, wei, (at, a, b) => {
        const [less, more] = a < b ? [a, b] : [b, a]
        const minimum = (sell: bigint) => minimumAt(at, { token: weth, wei: sell }).wei
        expect(minimum(less) <= minimum(more)).toBe(true)
        // Splitting an order never lowers what is asked in total.
        expect(minimum(less) + minimum(more) >= minimum(less + more)).toBe(true)
      }),
    )
  })

  test('refuses an amount of another token', () => {
    expect(() => minimumAt(priceOf({ sold: 1n, bought: 1n }), { token: usdc, wei: 1n })).toThrow(
      'applies to the token it sells',
    )
  })
})

describe('differencePpm', () => {
  test('has the sign of the comparison', () => {
    fc.assert(
      fc.property(price, price, (a, b) => {
        const difference = differencePpm(a, b)
        if (comparePrices(a, b) < 0) expect(difference).toBeLessThan(0n)
        else expect(difference).toBeGreaterThanOrEqual(0n)
      }),
    )
  })

  test('rounds toward less, so that a loss is never shown smaller', () => {
    const reference = priceOf({ sold: 3n, bought: 3n })
    expect(differencePpm(priceOf({ sold: 3n, bought: 2n }), reference)).toBe(-333_334n)
    expect(differencePpm(priceOf({ sold: 3n, bought: 4n }), reference)).toBe(333_333n)
  })
})

describe('showPrice', () => {
  test('cuts, never rounds up', () => {
    const at = priceOf({ sold: 3n * 10n ** 18n, bought: 20_000_000n })
    expect(showPrice(at)).toBe('6.666666 USDC per WETH')
    expect(showPrice(at, 2)).toBe('6.66 USDC per WETH')
  })
  test('of a token that is worth next to nothing shows four digits that count', () => {
    const cheap = (bought: bigint) => showPrice(priceOf({ sold: 10n ** 27n, bought }))
    expect(cheap(987_654n)).toBe('0.0000000009876 USDC per WETH')
    expect(cheap(10n ** 9n)).toBe('0.000001 USDC per WETH')
    expect(cheap(123_456n * 10n ** 9n)).toBe('0.123456 USDC per WETH')
    expect(cheap(0n)).toBe('0 USDC per WETH')
    expect(showPrice(priceOf({ sold: 10n ** 27n, bought: 987_654n }), 6)).toBe('0 USDC per WETH')
  })
})

/** Ends and middle of a cross: the decimals that are in use, and none at all. */
const decimals = fc.constantFrom(0, 6, 8, 18)
const tokenWith = (symbol: string, address: string) =>
  decimals.map((digits): Token => ({ ...weth, symbol, address: `0x${address}`, decimals: digits }))

describe('crossPrices', () => {
  test('equals the fraction it stands for, within one unit, and never above it', () => {
    fc.assert(
      fc.property(
        fc.tuple(tokenWith('A', 'aa'), tokenWith('M', 'bb'), tokenWith('B', 'cc')),
        fc.tuple(wei, wei, wei, wei, wei),
        ([a, m, b], [soldA, boughtM, soldM, boughtB, amount]) => {
          const first = { sold: { token: a, wei: soldA }, bought: { token: m, wei: boughtM } }
          const second = { sold: { token: m, wei: soldM }, bought: { token: b, wei: boughtB } }
          const cross = crossPrices(first, second)
          const worth = worthAt(cross, { token: a, wei: amount })
          expect(worth.token).toBe(b)
          // Turned around it is the cross of the turned ones.
          const back = crossPrices(invertPrice(second), invertPrice(first))
          expect(comparePrices(invertPrice(cross), back)).toBe(0)
          // worth <= amount * boughtM / soldA * boughtB / soldM < worth + 1
          const numerator = amount * boughtM * boughtB
          const denominator = soldA * soldM
          expect(worth.wei * denominator <= numerator).toBe(true)
          expect(numerator < (worth.wei + 1n) * denominator).toBe(true)
        },
      ),
    )
  })

  test('refuses prices that do not meet', () => {
    const price = priceOf({ sold: 1n, bought: 1n })
    expect(() => crossPrices(price, price)).toThrow('a cross meets in one token')
    expect(() => worthAt(price, { token: usdc, wei: 1n })).toThrow('the token it sells')
  })
})
