import { describe, expect, test } from 'vitest'
import { parseDecimal } from '../../../src/core/decimal.ts'
import type { Token } from '../../../src/core/token.ts'
import type { Snapshot } from '../../../src/service/createSnapshots.ts'
import type { ServiceMarket } from '../../../src/service/market.ts'
import { dollarFees, price } from '../../../src/service/price/price.ts'
import type { Offer } from '../../../src/service/venues/venue.ts'
import { DAI, levelsOf, makerOffer, pairOffer, USDC, WBTC, WETH } from '../route/sampleOffers.ts'

const e18 = 10n ** 18n
const offers: readonly Offer[] = [
  {
    ...pairOffer(
      { source: 'eth-usd', sell: WETH, buy: USDC },
      { sold: 1_000n * e18, bought: 3_000_000n * 10n ** 6n },
    ),
    feeBps: 30,
  },
  {
    ...pairOffer(
      { source: 'usd-btc', sell: USDC, buy: WBTC },
      { sold: 4_500_000n * 10n ** 6n, bought: 50n * 10n ** 8n },
    ),
    feeBps: 30,
  },
  makerOffer(
    { source: 'maker', sell: WETH, buy: USDC },
    { side: 'bid', levels: levelsOf(WETH, [[10, 3000]]) },
  ),
]
const venue = (pair: readonly [Token, Token]) => ({
  id: 'venue',
  pairs: [pair],
  reads: () => [],
  at: () => undefined,
})
const market = (change: Partial<ServiceMarket> = {}): ServiceMarket =>
  ({
    wrapped: WETH,
    feeBps: 0,
    hubs: [USDC],
    gasWeight: 1,
    dollars: [USDC.address],
    venues: [venue([WETH, USDC]), venue([WBTC, USDC]), venue([DAI, WBTC])],
    ...change,
  }) as ServiceMarket
const snapshot = (baseFeePerGas = 0n, some = offers): Snapshot => ({
  block: { number: 1, hash: '0x00', parentHash: '0x00', timestamp: 0, baseFeePerGas },
  states: [{ offers: () => some, rows: () => [] }],
})
const request = (sell: Token, buy: Token, amount: string) => ({
  sell,
  buy,
  path: { sell, buy },
  amountIn: parseDecimal(amount, sell.decimals),
  from: sell.address,
  to: sell.address,
  expirySeconds: 60,
  slippage: 0n,
  callers: [],
})
const priced = (change: Partial<ServiceMarket>, amount: string, block = snapshot(), buy = USDC) =>
  price(market(change), { snapshot: block, request: request(WETH, buy, amount) })

describe('price', () => {
  test('the same block and request give the same price, whoever asks', () => {
    expect(priced({}, '12.3').route).toEqual(priced({}, '12.3').route)
  })

  test('gas decides by its price and its weight', () => {
    const legs = (change: Partial<ServiceMarket>, baseFee: bigint) =>
      priced(change, '12', snapshot(baseFee)).route.legs.length
    // The maker takes ten of the twelve for 500 USDC more than the pool would: worth its gas, until gas costs more.
    expect(legs({}, 0n)).toBe(2)
    expect(legs({}, 10_000n * 10n ** 9n)).toBe(1)
    expect(legs({ gasWeight: 0 }, 10_000n * 10n ** 9n)).toBe(2)
  })

  /** Bids for WETH, each of so much at so many dollars. */
  const bids = (...levels: Parameters<typeof levelsOf>[1][number][]) =>
    makerOffer(
      { source: 'deep', sell: WETH, buy: USDC },
      { side: 'bid', levels: levelsOf(WETH, levels) },
    )

  /** A million times the price for a millionth of a millionth of a WETH; its minimum is far above. */
  const bait = makerOffer(
    { source: 'bait', sell: WETH, buy: USDC },
    {
      side: 'bid',
      levels: [{ amount: 10n ** 6n, price: 3n * 10n ** 33n }, ...levelsOf(WETH, [[1, 2_000]])],
      minimum: e18 / 100n,
    },
  )

  test.each(['0.00000001', '0.001', '1', '10', '100'])(
    'a level of dust is no best price: %s',
    (amount) => {
      const { route } = priced({ impactBpsMax: 1_000 }, amount, snapshot(0n, [...offers, bait]))
      expect(route.legs.length).toBeGreaterThan(0)
    },
  )

  test('an amount that moves the price further than the limit is refused beside dust as well', () => {
    const deep = bids([1, 3_000], [100, 2_500])
    const at = (amount: string) =>
      priced({ impactBpsMax: 1_000 }, amount, snapshot(0n, [deep, bait])).amountOut
    expect(at('2')).toBe(5_500n * 10n ** 6n)
    for (const amount of ['4', '100'])
      expect(() => at(amount)).toThrow(expect.objectContaining({ code: 'EXCEEDS_DEPTH' }))
  })

  test('levels that are a hundredth of the amount together are its best price', () => {
    const thin = bids([0.06, 3_000], [0.06, 2_999], [100, 2_500])
    expect(() => priced({ impactBpsMax: 1_000 }, '10', snapshot(0n, [thin]))).toThrow(
      expect.objectContaining({ code: 'EXCEEDS_DEPTH' }),
    )
  })

  test('neither dust behind a hub nor the other token’s units decide what moved the price', () => {
    const btc = makerOffer(
      { source: 'btc', sell: USDC, buy: WBTC },
      {
        side: 'ask',
        levels: [
          { amount: 100n, price: 10n ** 24n },
          ...levelsOf(WBTC, [
            [0.1, 90_000],
            [10, 120_000],
          ]),
        ],
      },
    )
    const deep = bids([1_000, 3_000])
    const at = (amount: string) =>
      priced({ impactBpsMax: 1_000 }, amount, snapshot(0n, [deep, btc]), WBTC).amountOut
    expect(at('3')).toBe(10n ** 7n + 99n)
    expect(() => at('30')).toThrow(expect.objectContaining({ code: 'EXCEEDS_DEPTH' }))
  })

  test('a level of dust does not say what gas is worth', () => {
    const { route } = priced({}, '12', snapshot(20n * 10n ** 9n, [...offers, bait]))
    expect(route.legs.map(({ offer }) => offer.source)).toEqual(['eth-usd', 'maker'])
  })

  test('the fee comes out of the input before it is routed', () => {
    const { fee, route } = priced({ feeBps: 100 }, '10')
    expect(fee).toBe(e18 / 10n)
    expect(route.legs.reduce((sum, { sellWei }) => sum + sellWei, 0n)).toBe((99n * e18) / 10n)
  })

  test('hops: the tokens on the way, each once', () => {
    const { hops, route, amountOut } = priced({}, '12', snapshot(), WBTC)
    expect(hops).toEqual(['USDC'])
    expect(route.legs.map(({ offer }) => offer.source)).toEqual(['eth-usd', 'maker', 'usd-btc'])
    expect(amountOut).toBe(route.legs.at(-1)?.buyWei)
    expect(priced({}, '1').hops).toEqual([])
  })

  test.each<[string, Token, Partial<ServiceMarket>, string]>([
    ['a pair that is traded through a hub, and empty', DAI, { hubs: [WBTC, USDC] }, 'NO_LIQUIDITY'],
    ['a pair without a hub between', DAI, { hubs: [] }, 'PAIR_UNKNOWN'],
    ['a pair nobody trades', DAI, {}, 'PAIR_UNKNOWN'],
  ])('%s', (_name, buy, change, code) => {
    expect(() => priced(change, '1', snapshot(), buy)).toThrow(expect.objectContaining({ code }))
  })

  test('fees of pools in dollars, hop by hop', () => {
    const quote = priced({}, '12', snapshot(), WBTC)
    const pool = quote.route.legs.filter(({ offer }) => offer.feeBps > 0)
    const dollars = pool.reduce((sum, { offer, sellWei, buyWei }) => {
      const usdc = offer.sell === USDC ? sellWei : buyWei
      return sum + (Number(usdc) / 1e6) * 0.003
    }, 0)
    expect(dollarFees(market(), quote).liquidityProviderFeeUsd).toBeCloseTo(dollars, 6)
  })
})
