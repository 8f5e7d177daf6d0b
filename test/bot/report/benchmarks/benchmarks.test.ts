import { expect, test } from 'vitest'
import {
  arithmeticMean,
  costBps,
  harmonicMean,
  rateOf,
  scheduleBenchmark,
  timeWeighted,
} from '../../../../src/bot/report/benchmarks.ts'
import { mulberry32, standardNormal } from '../../../../src/core/random.ts'
import type { Token } from '../../../../src/core/token.ts'

const token = (symbol: string, decimals: number, digit: string): Token => ({
  chainId: 31_337,
  address: `0x${digit.repeat(40)}`,
  symbol,
  decimals,
})
const weth = token('WETH', 18, '1')
const usdc = token('USDC', 6, '2')

test('harmonicMean: what the same money at each price buys at', () => {
  // 300 at 2 and 300 at 3 buy 150 and 100: 600 for 250.
  expect(harmonicMean([2, 3])).toBeCloseTo(2.4, 12)
  expect(harmonicMean([])).toBeUndefined()
  expect(harmonicMean([2, 0])).toBeUndefined()
})

test('timeWeighted: a price counts until the next is known, before the first nothing does', () => {
  const points = [
    { at: 10, price: 100 },
    { at: 20, price: 200 },
    { at: 50, price: 900 },
  ]
  expect(timeWeighted(points, { from: 0, until: 40 })).toBeCloseTo((100 * 10 + 200 * 20) / 30, 12)
  // A price known before the span is carried into it.
  expect(timeWeighted(points, { from: 30, until: 40 })).toBe(200)
  expect(timeWeighted(points, { from: 0, until: 10 })).toBeUndefined()
})

test('costBps: worse is above zero, for either side', () => {
  expect(costBps('buy', { price: 3003, benchmark: 3000 })).toBeCloseTo(10, 9)
  expect(costBps('sell', { price: 2997, benchmark: 3000 })).toBeCloseTo(10, 9)
})

test('rateOf: whole units of either token, with all the digits a double has', () => {
  const price = (sold: bigint, bought: bigint) => ({
    sold: { token: weth, wei: sold },
    bought: { token: usdc, wei: bought },
  })
  expect(rateOf(price(10n ** 18n, 3_000_500_000n))).toBe(3000.5)
  expect(rateOf(price(10n ** 30n, 3n))).toBeCloseTo(3e-18, 30)
  const { sold, bought } = price(3n * 10n ** 18n, 9_001_000_000n)
  expect(rateOf({ sold: bought, bought: sold })).toBeCloseTo(3 / 9001, 15)
})

test('a buyer of equal notionals is held to the harmonic mean: the arithmetic one flatters by hundreds of bps', () => {
  // 52 weekly buys at the very middle of a path of 70 % volatility: by definition no skill at all.
  const normal = standardNormal(mulberry32(7))
  let price = 3000
  const mids = Array.from({ length: 52 }, () => {
    const week = 7 / 365
    price *= Math.exp((-(0.7 ** 2) / 2) * week + 0.7 * Math.sqrt(week) * normal())
    return price
  })
  const bought = mids.reduce((sum, mid) => sum + 100 / mid, 0)
  const average = (100 * mids.length) / bought

  const judged = scheduleBenchmark('buy', {
    price: average,
    slotMids: mids,
    timeWeighted: arithmeticMean(mids),
  })
  expect(judged?.executionSkillBps).toBeCloseTo(0, 9)

  const flattery = -costBps('buy', { price: average, benchmark: arithmeticMean(mids) ?? 0 })
  expect(flattery).toBeGreaterThan(100)
  expect(flattery).toBeCloseTo(243.2, 1)
  // The gap is reported, as luck of timing.
  expect(judged?.timingLuckBps).toBeCloseTo(flattery, 9)
})

test('a seller of equal amounts is held to the arithmetic mean', () => {
  const judged = scheduleBenchmark('sell', { price: 150, slotMids: [100, 200], timeWeighted: 160 })
  expect(judged).toEqual({
    scheduledMid: 150,
    executionSkillBps: 0,
    timingLuckBps: expect.closeTo(-625, 9),
  })
})

test('without a middle there is no benchmark, not zero', () => {
  expect(
    scheduleBenchmark('buy', { price: 1, slotMids: [], timeWeighted: undefined }),
  ).toBeUndefined()
})
