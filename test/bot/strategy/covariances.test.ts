import { describe, expect, test } from 'vitest'
import { type Amount, amountOf, type Context, type Memory, type Token, wholeShare } from '#strategy'
import { contextWith } from '#strategy/testing'
import { covariances, wholeVariance } from '../../../src/bot/strategy/covariances.ts'
import { driftBenefit } from '../../../src/bot/strategy/planPortfolio.ts'
import type { Portfolio } from '../../../src/bot/strategy/portfolio.ts'
import rebalance from '../../../strategies/rebalance.ts'
import { lookAt, type World } from '../../strategies/rebalanceWorld.ts'

const token = (symbol: string, decimals: number, address: string): Token => ({
  chainId: 31337,
  address: address as Token['address'],
  symbol,
  decimals,
})
const usdc = token('USDC', 6, '0x01')
const weth = token('WETH', 18, '0x02')
const dai = token('DAI', 18, '0x03')
const wbtc = token('WBTC', 8, '0x04')
const hourMs = 3_600_000
const begin = Date.UTC(2026, 0, 1)

const folio = (prices: readonly (readonly [Token, number])[]): Portfolio => ({
  assets: [[usdc, 1] as const, ...prices].map(([one, dollars]) => ({
    token: one,
    parts: [],
    price: {
      sold: { token: one, wei: 10n ** BigInt(one.decimals) },
      bought: { token: usdc, wei: BigInt(Math.round(dollars * 1e6)) },
    },
    value: 1_000n,
    share: wholeShare / 3n,
    band: 0n,
    edge: 0n,
  })),
  hub: 0,
  whole: 3_000n,
  marketOf: () => undefined,
  swapMax: () => undefined,
  swapWorth: undefined,
  gas: undefined,
})

/** Normal numbers that are the same every time. */
function createNormal(seed: number) {
  let state = seed
  const uniform = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return (state + 0.5) / 2 ** 32
  }
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform())
}

/** Two tokens that move together, and a dollar that stays about where it is, every ten minutes for so many days. */
function* walk(days: number) {
  const normal = createNormal(7)
  let [eth, btc] = [3_000, 100_000]
  const step = 0.8 * Math.sqrt(600 / 31_536_000)
  for (let look = 0; look <= days * 144; look++) {
    const [first, second] = [normal(), normal()]
    eth *= 1 + step * first
    btc *= 1 + step * (0.5 * first + 0.5 * second)
    yield { now: begin + look * 600_000, eth, btc, dollar: 1 + 0.000_2 * normal() }
  }
}

const seenAfter = (days: number) => {
  let memory: Memory | undefined
  let covarianceOf = (_one: number, _other: number) => 0n
  for (const { now, eth, btc, dollar } of walk(days)) {
    const seen = covariances(
      { memory, now },
      folio([
        [weth, eth],
        [wbtc, btc],
        [dai, dollar],
      ]),
      7_000,
    )
    memory = seen.notes
    covarianceOf = seen.covarianceOf
  }
  return { covarianceOf, memory }
}
const part = (covariance: bigint) => Number(covariance) / Number(wholeVariance)

describe('covariances', () => {
  test('before there are prices, any two assets move against each other by the one volatility', () => {
    const { covarianceOf } = seenAfter(0)
    const against = (one: number, other: number) =>
      part(covarianceOf(one, one) + covarianceOf(other, other) - 2n * covarianceOf(one, other))
    for (const [one, other] of [
      [0, 1],
      [0, 3],
      [1, 2],
      [2, 3],
    ] as const)
      expect(against(one, other)).toBeCloseTo(0.49, 9)
  })

  test('after two months it knows what moves, what moves together, and what does not', () => {
    const { covarianceOf, memory } = seenAfter(60)
    // A step of 0.8 a year in the first, half of it and half of another in the second.
    expect(part(covarianceOf(1, 1)) / 0.64).toBeCloseTo(1, 0)
    expect(part(covarianceOf(2, 2)) / 0.32).toBeCloseTo(1, 0)
    expect(part(covarianceOf(1, 2)) / 0.32).toBeCloseTo(1, 0)
    expect(part(covarianceOf(3, 3))).toBeLessThan(0.02)
    expect(Math.abs(part(covarianceOf(1, 3)))).toBeLessThan(0.02)
    expect(memory?.samples).toBe('720')
  })

  test('a price an hour counts, however often it looks; looks between leave the notes as they are', () => {
    const first = covariances({ memory: undefined, now: begin }, folio([[weth, 3_000]]), 7_000)
    const between = covariances(
      { memory: first.notes, now: begin + hourMs - 1 },
      folio([[weth, 9_000]]),
      7_000,
    )
    expect(between.notes).toEqual(first.notes)
    const { notes, covarianceOf } = covariances(
      { memory: { ...first.notes, 'there:WETH': '5' }, now: begin + hourMs },
      folio([[weth, 3_030]]),
      7_000,
    )
    // 1 % in an hour is a variance of 0.876 a year, beside a day of 0.49.
    expect(notes).toEqual({
      pricedAt: begin + hourMs,
      samples: '1',
      'price:WETH': `${3_030n * 10n ** 15n}`,
      'covariance:WETH:WETH': `${(490_000_000_000n * 24n + 876_000_000_000n) / 25n}`,
    })
    expect(covarianceOf(1, 1)).toBe(BigInt(notes['covariance:WETH:WETH'] ?? 0))
    expect(covarianceOf(0, 1)).toBe(0n)
  })
})

describe('driftBenefit', () => {
  test('of two assets it is gamma/2 · sigma² · (d₀² − d₁²) · horizon of the whole', () => {
    const { covarianceOf } = seenAfter(0)
    const whole = 10n ** 18n
    const [before, after] = [whole / 10n, whole / 20n].map((off) => [-off, off, 0n, 0n])
    const averse = { gamma: 20_000, horizonSeconds: 30 * 86_400, covarianceOf }
    const expected = 0.49 * (0.1 ** 2 - 0.05 ** 2) * (30 / 365) * 1e18
    const benefit = driftBenefit({ whole, before: before ?? [], after: after ?? [] }, averse)
    expect(Number(benefit) / expected).toBeCloseTo(1, 9)
  })
})

describe('rebalance, in a market it has watched for two months', () => {
  const params: Parameters<typeof rebalance.watch>[0] = {
    weights: [
      { token: usdc, bps: 3_000 },
      { token: weth, bps: 4_000 },
      { token: dai, bps: 3_000 },
    ],
    in: usdc,
    tolerance: 50,
    minimum: amountOf(usdc, '10'),
  }
  const worldAt = (eth: number, dollar: number): World => ({
    prices: {
      USDC: 1_000_000n,
      WETH: BigInt(Math.round(eth * 1e6)),
      DAI: BigInt(Math.round(dollar * 1e6)),
    },
    halfSpreadBps: 5,
    levels: [3_000_000n],
    stepBps: 0,
  })
  const look = (
    balances: readonly Amount[],
    at: { now: number; eth: number; dollar: number },
    memory?: Memory,
  ) =>
    rebalance.decide(
      contextWith(params, {
        now: at.now,
        ...lookAt(worldAt(at.eth, at.dollar), rebalance.watch(params)),
        balances,
        memory,
      } satisfies Partial<Context<typeof params>>),
    )
  const near = (usd: number, eth: number, other: number, price: number) => [
    amountOf(usdc, `${usd}`),
    amountOf(weth, (eth / price).toFixed(18)),
    amountOf(dai, `${other}`),
  ]

  test('a tenth between USDC and DAI is not worth the spread, a tenth in WETH is', () => {
    let memory: Memory | undefined
    let last = { now: begin, eth: 3_000, dollar: 1 }
    for (const at of walk(60)) {
      const balances = near(300_000, 400_000, 300_000, at.eth)
      memory = look(balances, at, memory).memory
      last = { ...at, dollar: 1 }
    }
    const later = { ...last, now: last.now + 600_000 }
    const betweenDollars = near(400_000, 400_000, 200_000, last.eth)
    const inEther = near(200_000, 500_000, 300_000, last.eth)
    // One volatility for all cannot tell them apart.
    expect(look(betweenDollars, later).kind).toBe('swap')
    expect(look(inEther, later).kind).toBe('swap')
    expect(look(betweenDollars, later, memory)).toMatchObject({
      kind: 'wait',
      reason: expect.stringMatching(/^Costs \S+ USDC and is worth \S+ USDC: /),
    })
    expect(look(inEther, later, memory).kind).toBe('swap')
  })
})
