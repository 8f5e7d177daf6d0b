import { describe, expect, test } from 'vitest'
import { bestRoute } from '../../../src/service/route/bestRoute.ts'
import { runOverPaths } from '../../../src/service/route/paths.ts'
import type { RouteLeg } from '../../../src/service/route/source.ts'
import type { Offer } from '../../../src/service/venues/venue.ts'
import { random } from '../venues/uniswapV3/randomPool.ts'
import { isBeaten } from './optimum.ts'
import { randomWorld } from './randomWorld.ts'
import { DAI, levelsOf, makerOffer, USDC, WBTC, WETH } from './sampleOffers.ts'

/** A sample; `npm run test:routes` takes a thousand. */
const questions = Number(process.env.ROUTES ?? 120)

type Request = ReturnType<typeof randomWorld>['request']

const netOf = (legs: readonly RouteLeg[], { buy, gasCost }: Request) => {
  const bought = legs.filter(({ offer }) => offer.buy === buy)
  const gas = legs.reduce((sum, { offer }) => sum + Number(offer.gas), 0)
  return Number(bought.reduce((sum, { buyWei }) => sum + buyWei, 0n)) - gas * gasCost(buy)
}

/** Nothing is sold twice, each sale is what the offer says, and what was bought on the way is sold to the last unit. */
function expectSound(legs: readonly RouteLeg[], { sell, buy, sellWei }: Request): void {
  expect(legs.length).toBeLessThanOrEqual(8)
  expect(new Set(legs.map(({ offer }) => offer.resource)).size).toBe(legs.length)
  const left = new Map([[sell, sellWei]])
  for (const { offer, sellWei: sold, buyWei } of legs) {
    expect(offer.fill(sold)).toEqual({ kind: 'filled', buyWei })
    left.set(offer.sell, (left.get(offer.sell) ?? 0n) - sold)
    expect(left.get(offer.sell)).toBeGreaterThanOrEqual(0n)
    left.set(offer.buy, (left.get(offer.buy) ?? 0n) + buyWei)
  }
  expect([...left].filter(([token, wei]) => token !== buy && wei !== 0n)).toEqual([])
}

describe('routes through hubs', () => {
  test(`${questions} random ones: within a tenth of a basis point of the optimum, never worse than whole paths`, () => {
    const next = random(20261122)
    let [asked, short] = [0, 0]
    while (asked < questions) {
      const { offers, request } = randomWorld(next)
      const route = bestRoute(offers, request)
      if ('kind' in route) continue
      expectSound(route.legs, request)
      const net = netOf(route.legs, request)
      const before = runOverPaths(offers, { request, legsMax: 8 })
      if (before.kind === 'run') expect(net).toBeGreaterThanOrEqual(netOf(before.legs, request))
      // Gas may eat all of it; then there is nothing to measure by.
      if (net <= 0) continue
      asked += 1
      // Each leg rounds down to a whole unit.
      if (isBeaten(net * (1 + 1e-5) + route.legs.length, offers, request)) short += 1
    }
    process.stdout.write(`${asked} routes, ${short} of them short of the optimum\n`)
    expect(short / asked).toBeLessThanOrEqual(0.005)
  })

  test('no way of selling lots brings more, and none is refused', () => {
    const next = random(3)
    for (let run = 0; run < 500; run += 1) {
      const offers = fewLots(next)
      const lots = 1 + Math.floor(next() * 9)
      const { most, less } = mostOf(offers, lots)
      // Who gets no more for selling all of it asks for more than there is.
      if (most === undefined || most <= less) continue
      const route = bestRoute(offers, {
        sell: WETH,
        buy: DAI,
        sellWei: BigInt(lots) * lot,
        hubs: [USDC],
        gasCost: () => 0,
      })
      if ('kind' in route) throw new Error(`${lots} lots: ${route.kind}`)
      expect(route.buyWei + route.buyWei / 1_000_000n).toBeGreaterThanOrEqual(most)
    }
  })

  test('what takes the whole depth of several hops is not refused', () => {
    const next = random(8)
    for (let run = 0; run < 300; run += 1) {
      const { offers, sellWei } = planted(next)
      const route = bestRoute(offers, {
        sell: WETH,
        buy: DAI,
        sellWei,
        hubs: [USDC, WBTC],
        gasCost: () => 0,
      })
      expect(route).not.toHaveProperty('kind')
    }
  })
})

/** Amounts of which every way can be tried. */
const lot = 10n ** 9n

/** Lots at falling whole prices. */
function lotOffer(source: string, pair: Pick<Offer, 'sell' | 'buy'>, prices: number[]): Offer {
  const depth = BigInt(prices.length) * lot
  return {
    ...pair,
    source,
    resource: source,
    feeBps: 0,
    gas: 0n,
    minimum: { sellWei: 0n, buyWei: 0n },
    settlement: { kind: 'amm', executorData: '0x' },
    fill(sellWei) {
      if (sellWei > depth) return { kind: 'exceeds-depth' }
      const whole = prices.slice(0, Number(sellWei / lot))
      const part = (sellWei % lot) * BigInt(prices[whole.length] ?? 0)
      return { kind: 'filled', buyWei: whole.reduce((sum, each) => sum + BigInt(each) * lot, part) }
    },
    curve: () =>
      prices.map((price, index) => ({
        until: BigInt(index + 1) * lot,
        size: Number(lot),
        price,
        curvature: 0,
      })),
  }
}

/** A direct offer, two to the hub and two from it. */
function fewLots(next: () => number): Offer[] {
  const prices = (best: number, count: number) =>
    Array.from(
      { length: 1 + Math.floor(next() * count) },
      () => 1 + Math.floor(next() * best),
    ).sort((a, b) => b - a)
  return [
    lotOffer('a', { sell: WETH, buy: DAI }, prices(9, 4)),
    lotOffer('b', { sell: WETH, buy: USDC }, prices(3, 4)),
    lotOffer('c', { sell: WETH, buy: USDC }, prices(3, 4)),
    lotOffer('d', { sell: USDC, buy: DAI }, prices(5, 8)),
    lotOffer('e', { sell: USDC, buy: DAI }, prices(5, 8)),
  ]
}

/**
 * The most of all ways of selling whole lots, undefined where there is none; and the most with some of it, or of what
 * was bought on the way, left over.
 */
function mostOf(
  offers: readonly Offer[],
  lots: number,
): { most: bigint | undefined; less: bigint } {
  const bought = (index: number, amount: bigint): bigint | undefined => {
    const fill = offers[index]?.fill(amount)
    return fill?.kind === 'filled' ? fill.buyWei : undefined
  }
  let most: bigint | undefined
  let less = -1n
  const counts = Array.from({ length: lots + 1 }, (_, count) => count)
  for (const a of counts)
    for (const b of counts)
      for (const c of counts.slice(0, lots - a - b + 1)) {
        const [direct, one, other] = [a, b, c].map((each, at) => bought(at, BigInt(each) * lot))
        if (a + b > lots || direct === undefined || one === undefined || other === undefined)
          continue
        for (let first = 0n; first <= one + other; first += lot)
          for (let second = 0n; first + second <= one + other; second += lot) {
            const [d, e] = [bought(3, first), bought(4, second)]
            if (d === undefined || e === undefined) continue
            const sum = direct + d + e
            const isAll = a + b + c === lots && first + second === one + other
            if (isAll && (most === undefined || sum > most)) most = sum
            if (!isAll && sum > less) less = sum
          }
      }
  return { most, less }
}

/** Makers whose first hops are sold out by the question, through hubs whose onward makers take just what these bring. */
function planted(next: () => number): { offers: Offer[]; sellWei: bigint } {
  const pick = (count: number) => 1 + Math.floor(next() * count)
  const hubs = [
    { hub: USDC, price: 3_000, worth: 1 },
    { hub: WBTC, price: 0.033, worth: 90_000 },
  ].slice(next() < 0.5 ? 1 : 0)
  const count = { in: hubs.length === 2 ? 2 : 3, out: hubs.length === 2 ? 2 : 5 }
  const offers: Offer[] = []
  let sellWei = 0n
  for (const { hub, price, worth } of hubs) {
    let brought = 0
    for (let maker = pick(count.in); maker > 0; maker -= 1) {
      const size = pick(40)
      const rate = Math.round(price * (1 - next() * 0.01) * 1_000) / 1_000
      const pair = { source: `in-${hub.symbol}-${maker}`, sell: WETH, buy: hub }
      offers.push(makerOffer(pair, { side: 'bid', levels: levelsOf(WETH, [[size, rate]]) }))
      sellWei += BigInt(size) * 10n ** 18n
      brought += size * rate
    }
    const makers = pick(count.out)
    for (let maker = makers; maker > 0; maker -= 1) {
      const pair = { source: `out-${hub.symbol}-${maker}`, sell: hub, buy: DAI }
      const size = brought / makers + 0.001
      const levels = levelsOf(hub, [[size, worth * (1 - next() * 0.01)]])
      offers.push(makerOffer(pair, { side: 'bid', levels }))
    }
  }
  return { offers, sellWei }
}
