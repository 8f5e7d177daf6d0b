import { describe, expect, test } from 'vitest'
import { createPrices } from '../../src/sandbox/createPrices.ts'
import { tradeToPrice } from '../../src/sandbox/tradeToPrice.ts'

const model = {
  WETH: { start: '3000', volatility: 0.7 },
  WBTC: { start: '90000', volatility: 0.6 },
}
const prices = (seed: number) => createPrices({ prices: { seed, model }, blockTimeSeconds: 1 })

describe('createPrices', () => {
  test('the same seed walks the same path, wherever it starts', () => {
    const walked = prices(7)
    for (let step = 0; step < 500; step += 1) walked.at(step)
    expect(prices(7).at(500)).toEqual(walked.at(500))
    expect(walked.at(20)).toEqual(prices(7).at(20))
    expect(prices(8).at(500)).not.toEqual(walked.at(500))
  })

  test('step 0 is the start', () => {
    expect([...prices(7).at(0)]).toEqual([
      ['WETH', 3000],
      ['WBTC', 90000],
    ])
  })

  test('with a half-life the price stays near its start, as far as the theory says', () => {
    const hours = 24 * 365
    const spreadOf = (halfLifeHours?: number) => {
      const walk = { ...model.WETH, ...(halfLifeHours && { halfLifeHours }) }
      const path = createPrices({
        prices: { seed: 7, model: { WETH: walk } },
        blockTimeSeconds: 3_600,
      })
      let [sum, most] = [0, 0]
      for (let step = 1; step <= 3 * hours; step += 1) {
        const distance = Math.log((path.at(step).get('WETH') ?? 0) / 3_000)
        sum += distance ** 2
        most = Math.max(most, Math.abs(distance))
      }
      return { usual: Math.sqrt(sum / (3 * hours)), most }
    }
    const pull = Math.LN2 / 8
    const { usual, most } = spreadOf(8)
    expect(usual / (0.7 / Math.sqrt(hours) / Math.sqrt(2 * pull))).toBeCloseTo(1, 1)
    expect(most).toBeLessThan(6 * usual)
    expect(spreadOf().most).toBeGreaterThan(6 * usual)
  })

  test('the volatility is the one that was asked for', () => {
    const path = createPrices({ prices: { seed: 1, model }, blockTimeSeconds: 3_600 })
    const steps = 20_000
    let sum = 0
    for (let step = 1; step <= steps; step += 1) {
      const [before = 0, after = 0] = [path.at(step - 1).get('WETH'), path.at(step).get('WETH')]
      sum += Math.log(after / before) ** 2
      path.at(step)
    }
    const annual = Math.sqrt((sum / steps) * 365 * 24)
    expect(annual).toBeGreaterThan(0.68)
    expect(annual).toBeLessThan(0.72)
  })
})

describe('tradeToPrice', () => {
  const reserves = { reserve0: 1_000n * 10n ** 18n, reserve1: 3_000_000n * 10n ** 6n }
  const priceOf = (usd: number) => (usd * 1e6) / 1e18

  test('inside the band of the fee nothing is traded', () => {
    for (const usd of [2991.5, 3000, 3008.5])
      expect(tradeToPrice({ ...reserves, price: priceOf(usd) })).toBeUndefined()
  })

  test.each([
    [2900, 0],
    [3100, 1],
  ])('at %i it sells token%i until the price with the fee is met', (usd, sells) => {
    const trade = tradeToPrice({ ...reserves, price: priceOf(usd) })
    if (trade === undefined) throw new Error('no trade')
    expect(trade.sells).toBe(sells)
    const [in0, in1] = sells === 0 ? [trade.sellWei, -trade.buyWei] : [-trade.buyWei, trade.sellWei]
    const after = {
      reserve0: reserves.reserve0 + in0,
      reserve1: reserves.reserve1 + in1,
    }
    // The product never falls, or the pair would refuse.
    expect(after.reserve0 * after.reserve1).toBeGreaterThan(reserves.reserve0 * reserves.reserve1)
    expect(tradeToPrice({ ...after, price: priceOf(usd) })).toBeUndefined()
    const spot = (Number(after.reserve1) / Number(after.reserve0)) * 1e12
    expect(Math.abs(spot / usd - 1)).toBeLessThan(0.0032)
  })
})
