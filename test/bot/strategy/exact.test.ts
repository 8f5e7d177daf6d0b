import { describe, expect, test } from 'vitest'
import {
  averagePrice,
  comparePrices,
  countSlot,
  countVotes,
  crossCheck,
  heldAbove,
  leftOf,
  maxPrice,
  minAmount,
  type Price,
  shiftPrice,
  showPercent,
  totalSold,
  wordsFor,
} from '#strategy'

const weth = { chainId: 1, address: '0x01', symbol: 'WETH', decimals: 18 } as const
const usdc = { chainId: 1, address: '0x02', symbol: 'USDC', decimals: 6 } as const
const ether = (wei: bigint) => ({ token: weth, wei })
const dollars = (wei: bigint) => ({ token: usdc, wei })
const price = (sold: bigint, bought: bigint): Price => ({
  sold: ether(sold),
  bought: dollars(bought),
})

describe('what strategies reckon with', () => {
  test('totalSold: settled and in flight, of one token, whatever was bought', () => {
    const own = {
      totals: [
        { ...price(5n, 1n), swaps: 1 },
        { sold: ether(7n), bought: ether(1n), swaps: 2 },
        { sold: dollars(100n), bought: ether(1n), swaps: 1 },
      ],
      inflight: [
        { swapId: 'a', sell: ether(11n), buy: usdc, since: 0 },
        { swapId: 'b', sell: dollars(13n), buy: weth, since: 0 },
      ],
    }
    expect(totalSold(own, weth)).toEqual(ether(23n))
    expect(leftOf(own, ether(24n))).toEqual(ether(1n))
    expect(leftOf(own, ether(22n))).toEqual(ether(0n))
  })

  test('minAmount: of one token only, and undefined bounds nothing', () => {
    expect(minAmount(ether(3n), undefined, ether(2n), ether(4n))).toEqual(ether(2n))
    expect(minAmount(ether(3n))).toEqual(ether(3n))
    expect(() => minAmount(ether(3n), dollars(2n))).toThrow('amounts compare within one token')
  })

  test('maxPrice: the price that pays the most, the first of equal ones', () => {
    const [low, high, same] = [price(2n, 5n), price(1n, 3n), price(2n, 6n)]
    expect(maxPrice(low, undefined, high, same)).toBe(high)
    expect(maxPrice(same, high)).toBe(same)
  })

  test('heldAbove: below zero where less than the kept amount is held', () => {
    expect(heldAbove([ether(3n)], ether(2n))).toEqual(ether(1n))
    expect(heldAbove([ether(3n)], dollars(2n))).toEqual(dollars(-2n))
  })

  test('shiftPrice: is exact', () => {
    expect(comparePrices(shiftPrice(price(3n, 10_000n), 1), price(3n, 10_001n))).toBe(0)
    expect(comparePrices(shiftPrice(price(3n, 10_000n), -1), price(3n, 9_999n))).toBe(0)
    expect(() => shiftPrice(price(1n, 1n), -10_001)).toThrow('a price pays no less than nothing')
  })

  test('averagePrice: of one pair, all sold for all bought', () => {
    const other = { sold: ether(1n), bought: ether(1n) }
    expect(averagePrice([price(1n, 2n), other, price(3n, 9n)], price(1n, 1n))).toEqual(
      price(4n, 11n),
    )
    expect(averagePrice([other], price(1n, 1n))).toBeUndefined()
  })

  test.each([
    [633n, '0.063 %'],
    [-634n, '0.063 %'],
    [635n, '0.064 %'],
    [1n, '0.0001 %'],
    [5n, '0.001 %'],
    [0n, '0 %'],
    [1_000_000n, '100 %'],
  ])('showPercent: %s parts in a million are %s', (ppm, text) => {
    expect(showPercent(ppm)).toBe(text)
  })

  test('wordsFor: the way round in which one has the larger number', () => {
    const dear = price(10n ** 18n, 3_000_000_000n)
    expect([wordsFor(dear).verb, wordsFor(dear).show(dear)]).toEqual(['pays', '3000 USDC per WETH'])
    const inverse = { sold: dear.bought, bought: dear.sold }
    expect([wordsFor(inverse).verb, wordsFor(inverse).show(inverse)]).toEqual([
      'asks',
      '3000 USDC per WETH',
    ])
  })

  test('crossCheck: believes up to the bound, to both sides', () => {
    const check = (reference: bigint | undefined) =>
      crossCheck(price(1n, 10_000n), {
        reference: reference === undefined ? undefined : price(1n, reference),
        within: 100,
      })
    expect([check(10_101n), check(9_901n)]).toEqual([undefined, undefined])
    expect(check(10_102n)).toMatch(/1\.01 % apart, 1 % is allowed/)
    expect(check(9_900n)).toMatch(/1\.01 % apart, 1 % is allowed/)
    expect(check(0n)).toMatch(/no independent reference/)
    expect(check(undefined)).toMatch(/no independent reference/)
  })

  test('countVotes: forgets what is further back than it counts, or than a pause', () => {
    const vote = { need: 2, of: 3, yes: true, slot: 100_000, withinSeconds: 30 }
    const told = { votes: '110', votedAt: 70_000 }
    expect(countVotes(told, vote)).toMatchObject({
      count: 2,
      enough: true,
      memory: { votes: '101' },
    })
    expect(countVotes({ ...told, votedAt: 69_999 }, vote)).toMatchObject({
      count: 1,
      enough: false,
    })
    expect(countVotes(undefined, vote)).toMatchObject({
      count: 1,
      memory: { votes: '1', votedAt: 100_000 },
    })
    // A slot that is tried again has one vote: the last.
    const again = { ...told, votedAt: 99_000, votedSlot: 100_000 }
    expect(countVotes(again, { ...vote, yes: false })).toMatchObject({
      count: 2,
      memory: { votes: '110', votedSlot: 100_000 },
    })
    expect(countVotes(again, vote)).toMatchObject({ count: 3, memory: { votes: '111' } })
    // The slot that follows is compared with the look, which may have waited.
    expect(countVotes(told, { ...vote, at: 130_000 })).toMatchObject({
      count: 2,
      memory: { votedAt: 130_000 },
    })
  })

  test('countSlot: counts a slot once, and what it leaves is carried or dropped', () => {
    const ask = { spent: 0n, carries: 30n, intended: 20n, final: true }
    const first = countSlot(undefined, { ...ask, slot: 1 })
    expect(first).toMatchObject({ before: 0n, intended: 20n, dropped: 0n })
    expect(countSlot(first.memory, { ...ask, slot: 1, intended: 99n })).toEqual(first)
    const second = countSlot(first.memory, { ...ask, slot: 2 })
    expect(second).toMatchObject({ before: 20n, intended: 20n, dropped: 0n })
    const third = countSlot(second.memory, { ...ask, slot: 3, spent: 5n })
    expect(third).toMatchObject({ before: 35n, intended: 20n, dropped: 5n })
    expect([first, second, third].map(({ owed }) => owed)).toEqual([20n, 40n, 50n])
    // What was sold beyond all that was intended is no debt of the next slot.
    expect(countSlot(first.memory, { ...ask, slot: 2, spent: 50n })).toMatchObject({ before: 50n })
    const unsure = countSlot(third.memory, { ...ask, slot: 4, spent: 55n, final: false })
    expect(countSlot(unsure.memory, { ...ask, slot: 4, spent: 55n, intended: 40n })).toMatchObject({
      before: 55n,
      intended: 40n,
      final: true,
    })
  })
})
