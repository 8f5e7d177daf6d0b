import { describe, expect, test } from 'vitest'
import type { Dossier } from '../../../src/bot/dossier.ts'
import { quantile } from '../../../src/bot/report/benchmarks.ts'
import { createExecutionTally } from '../../../src/bot/report/createExecutionTally.ts'
import { createParityTally } from '../../../src/bot/report/createParityTally.ts'
import { createRates } from '../../../src/bot/report/createRates.ts'
import { createScheduleTally } from '../../../src/bot/report/createScheduleTally.ts'
import { createVenueTally } from '../../../src/bot/report/createVenueTally.ts'
import { shortfall } from '../../../src/bot/report/shortfall.ts'
import { sameToken } from '../../../src/core/token.ts'
import { coin, dossierOf, usdc, weth } from './dossierOf.ts'

const isMoney = (token: typeof usdc) => sameToken(token, usdc)

describe('createScheduleTally', () => {
  /** 500 USDC bought at exactly the middle, whatever it is. */
  const buyAt = (price: bigint, createdAt: number) => {
    const got = (500n * 10n ** 18n) / price
    return dossierOf({
      sell: { token: usdc, wei: 500_000_000n },
      buy: weth,
      createdAt,
      decided: got,
      firm: got,
    })
  }

  test('who buys for a fixed amount at the middle every time has no skill, however wild the prices', () => {
    const tally = createScheduleTally(isMoney)
    for (const [index, price] of [2_000n, 4_000n, 1_000n].entries())
      tally.add(buyAt(price, index * 1_000))
    const [found] = tally.result()
    expect(found).toMatchObject({ side: 'buy', fills: 3, fixedAmount: true, withMid: 3 })
    // 1,500 USDC for 0.875 WETH: the harmonic mean. The arithmetic one, 2,333.33, would praise it for 2,653 bps.
    expect(found?.averagePrice).toBeCloseTo(1_500 / 0.875, 6)
    expect(found?.scheduledMid).toBeCloseTo(1_500 / 0.875, 6)
    expect(found?.executionSkillBps).toBeCloseTo(0, 6)
    // Each middle counts until the next: 2,000 and 4,000 for a second each.
    expect(found?.timeWeightedMid).toBeCloseTo(3_000, 6)
    expect(found?.timingLuckBps).toBeCloseTo(-1e4 * (1_500 / 0.875 / 3_000 - 1), 4)
    expect(found?.againstFirstBps).toBeCloseTo(-1e4 * (1_500 / 0.875 / 2_000 - 1), 4)
  })

  test('a seller is worse off below the middle', () => {
    const tally = createScheduleTally(isMoney)
    tally.add(dossierOf({ decided: 3_000_000_000n, firm: 2_997_000_000n }))
    expect(tally.result()[0]?.executionSkillBps).toBeCloseTo(-10, 6)
  })

  test('without a middle there is no benchmark, and fills without one are not in it', () => {
    const tally = createScheduleTally(isMoney)
    tally.add(dossierOf({ firm: 1_000_000_000n }))
    expect(tally.result()[0]).toMatchObject({
      fills: 1,
      withMid: 0,
      averagePrice: 1_000,
      scheduledMid: undefined,
      executionSkillBps: undefined,
      againstFirstBps: undefined,
    })
    tally.add(dossierOf({ decided: 3_000_000_000n, firm: 3_000_000_000n }))
    const [both] = tally.result()
    expect(both).toMatchObject({ fills: 2, withMid: 1, averagePrice: 2_000 })
    expect(both?.executionSkillBps).toBeCloseTo(0, 6)
  })
})

test('createExecutionTally: adds what has the benchmark, counts what has not, and never mixes tokens', () => {
  const tally = createExecutionTally()
  const swaps = [
    dossierOf({ decided: 3_001_000_000n, asked: 3_001_000_000n }),
    dossierOf({ decided: 3_003_000_000n, asked: 3_002_000_000n }),
    dossierOf({ indicated: 9_000_000_000n }),
    dossierOf({}),
    dossierOf({ sell: { token: usdc, wei: 1_000n }, buy: weth, firm: 5n, decided: 6n }),
  ]
  for (const swap of swaps) tally.add(swap, shortfall(swap, coin))
  const [sales, purchases] = tally.result()
  expect(sales).toMatchObject({
    swaps: 4,
    sold: 4n * 10n ** 18n,
    received: 12_000_000_000n,
    measured: 2,
    indicationOnly: 1,
    withoutBenchmark: 1,
    worth: 6_004_000_000n,
    delay: 1_000_000n,
    spread: 3_000_000n,
    slippage: 0n,
  })
  expect(sales && sales.delay + sales.spread + sales.slippage + sales.gas).toBe(sales?.total)
  expect(purchases).toMatchObject({ swaps: 1, worth: 6n })
})

test('createRates: how far each came, and why the others did not', () => {
  const rates = createRates()
  const unsent = { attempts: [], events: [], nonce: undefined, moved: undefined, block: undefined }
  rates.add(dossierOf({}))
  rates.add(dossierOf({ over: { state: 'REVERTED', moved: undefined } }))
  rates.add(dossierOf({ over: { ...unsent, state: 'EXPIRED_DEAD', nonce: 4 } }))
  for (const code of ['POLICY_REFERENCES', 'POLICY_REFERENCES', 'VERIFY_FLOOR', 'NO_LIQUIDITY'])
    rates.add(
      dossierOf({
        over: {
          ...unsent,
          quote: undefined,
          code,
          state: code === 'NO_LIQUIDITY' ? 'ABANDONED' : 'REJECTED',
        },
      }),
    )
  rates.add(dossierOf({ over: { ...unsent, quote: undefined, state: 'PLANNED' } }))
  expect(rates.result()).toEqual({
    planned: 8,
    quoted: 6,
    accepted: 3,
    signed: 3,
    sent: 2,
    taken: 2,
    settled: 1,
    reverted: 1,
    expired: 1,
    expiredUnsent: 1,
    displaced: 0,
    open: 1,
    stopped: [
      { code: 'POLICY_REFERENCES', count: 2 },
      { code: 'NO_LIQUIDITY', count: 1 },
      { code: 'VERIFY_FLOOR', count: 1 },
    ],
  })
})

test('createVenueTally: three swaps do not make a route perfect', () => {
  const tally = createVenueTally()
  tally.add(
    dossierOf({ indicated: 2_999_000_000n, firm: 3_000_000_000n, received: 2_998_500_000n }),
  )
  tally.add(dossierOf({ over: { state: 'REVERTED', moved: undefined } }))
  tally.add(dossierOf({ over: { state: 'EXPIRED_DEAD', moved: undefined, attempts: [] } }))
  const quiet = dossierOf({})
  tally.add({ ...quiet, quote: quiet.quote && { ...quiet.quote, source: undefined } })
  expect(tally.result()).toEqual([
    {
      source: 'maker-a',
      accepted: 3,
      sent: 2,
      settled: 1,
      faded: 1,
      fadeRate: 2 / 22,
      overIndicationBps: 3.33,
      slippageBps: 5,
    },
  ])
})

test('createParityTally: what was predicted against what came, of what settled', () => {
  const tally = createParityTally()
  tally.add(dossierOf({}))
  tally.add(dossierOf({ simulated: 3_000_000_000n, received: 2_999_700_000n }))
  tally.add(dossierOf({ over: { state: 'REVERTED', moved: undefined } }))
  expect(tally.result()).toEqual({ swaps: 2, exact: 1, meanBps: -0.5, worstBps: -1, gasMeanBps: 0 })
  expect(createParityTally().result()).toMatchObject({ swaps: 0, meanBps: undefined })
})

test('quantile: the smallest value that so large a share does not exceed', () => {
  expect([quantile([3, 1, 2], 0.5), quantile([3, 1, 2], 0.95), quantile([], 0.5)]).toEqual([
    2,
    3,
    undefined,
  ])
})

test('rates: a swap that was recovered from the chain has come as far as one of which all is known', () => {
  const rates = createRates()
  const base = { state: 'SETTLED', code: undefined, nonce: undefined } as unknown as Dossier
  for (let nth = 0; nth < 3; nth += 1)
    rates.add({ ...base, quote: undefined, attempts: [], events: [] })
  const { planned, quoted, accepted, signed, sent, taken, settled } = rates.result()
  expect([planned, quoted, accepted, signed, sent, taken, settled]).toEqual(Array(7).fill(3))
})
