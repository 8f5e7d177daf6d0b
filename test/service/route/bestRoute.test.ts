import { describe, expect, test } from 'vitest'
import { parseDecimal } from '../../../src/core/decimal.ts'
import { bestRoute } from '../../../src/service/route/bestRoute.ts'
import type { Route, RouteRequest } from '../../../src/service/route/source.ts'
import type { Offer } from '../../../src/service/venues/venue.ts'
import { random, randomPool } from '../venues/uniswapV3/randomPool.ts'
import {
  DAI,
  levelsOf,
  makerOffer,
  pairOffer,
  poolOffer,
  USDC,
  WBTC,
  WETH,
} from './sampleOffers.ts'

const reserves = { weth: 1_000n * 10n ** 18n, usdc: 3_000_000n * 10n ** 6n }
const selling = { sell: WETH, buy: USDC }
const buying = { sell: USDC, buy: WETH }
const maker = {
  bids: levelsOf(WETH, [
    [10, 3000],
    [15, 2990],
    [20, 2980],
  ]),
  asks: levelsOf(WETH, [
    [10, 3010],
    [15, 3020],
    [20, 3030],
  ]),
}
const both = [
  pairOffer({ source: 'pair', ...selling }, { sold: reserves.weth, bought: reserves.usdc }),
  pairOffer({ source: 'pair', ...buying }, { sold: reserves.usdc, bought: reserves.weth }),
  makerOffer({ source: 'maker', ...selling }, { side: 'bid', levels: maker.bids }),
  makerOffer({ source: 'maker', ...buying }, { side: 'ask', levels: maker.asks }),
]
const only = (source: string) => both.filter((offer) => offer.source === source)

const route = (offers: readonly Offer[], request: Partial<RouteRequest>) =>
  bestRoute(offers, { ...selling, sellWei: 1n, hubs: [], gasCost: () => 0, ...request })
const routed = (offers: readonly Offer[], request: Partial<RouteRequest>): Route => {
  const found = route(offers, request)
  if ('kind' in found) throw new Error(found.kind)
  return found
}
/** That each leg sells no more than the legs before it bought. */
function expectHeld({ legs }: Route, sellWei: bigint): void {
  const [first] = legs
  const held = new Map([[first?.offer.sell.symbol ?? '', sellWei]])
  for (const { offer, sellWei: sold, buyWei } of legs) {
    const has = held.get(offer.sell.symbol) ?? 0n
    expect(sold).toBeGreaterThan(0n)
    expect(sold).toBeLessThanOrEqual(has)
    held.set(offer.sell.symbol, has - sold)
    held.set(offer.buy.symbol, (held.get(offer.buy.symbol) ?? 0n) + buyWei)
  }
}
const wei = (decimal: string, decimals = 18) => parseDecimal(decimal, decimals)
const shares = ({ legs }: Route) => legs.map(({ offer, sellWei }) => [offer.source, sellWei])

describe('bestRoute: the gold table', () => {
  test.each([
    ['10', '30000000000', '30000000000', '29614741031'],
    ['12', '35980083849', '35980000000', '35467664857'],
    ['30', '89760162802', '89750000000', '87124117641'],
    ['60', '178653930223', undefined, '169330641052'],
  ])('selling %s WETH brings %s', (amount, together, makerOnly, pairOnly) => {
    const sellWei = wei(amount)
    const bought = (offers: readonly Offer[]) => {
      const found = route(offers, { sellWei })
      return 'kind' in found ? undefined : found.buyWei.toString()
    }
    expect(bought(both)).toBe(together)
    expect(bought(only('maker'))).toBe(makerOnly)
    expect(bought(only('pair'))).toBe(pairOnly)
  })

  test('buying WETH with 50,000 USDC', () => {
    const request = { ...buying, sellWei: wei('50000', 6) }
    expect(routed(only('maker'), request).buyWei).toBe(wei('16.589403973509933774'))
    expect(routed(only('pair'), request).buyWei).toBe(wei('16.345066150794301359'))
    const split = routed(both, request)
    expect(split.buyWei).toBe(wei('16.592710412501392887'))
    const toPair = split.legs.find(({ offer }) => offer.source === 'pair')?.sellWei ?? 0n
    expect(Number(toPair) / 1e6).toBeCloseTo(5481.47, 2)
  })

  test('what is sold to whom', () => {
    expect(shares(routed(both, { sellWei: wei('10') }))).toEqual([['maker', wei('10')]])
    expect(shares(routed(both, { sellWei: wei('60') }))).toEqual([
      ['maker', wei('45')],
      ['pair', wei('15')],
    ])
    const [first, second] = routed(both, { sellWei: wei('12') }).legs
    expect((first?.sellWei ?? 0n) + (second?.sellWei ?? 0n)).toBe(wei('12'))
    expect(Number(second?.sellWei) / 1e18).toBeCloseTo(0.16771, 5)
  })
})

describe('bestRoute: gas', () => {
  const gasCost = (usdcPerGas: number) => () => usdcPerGas * 1e6

  test('a split that earns less than its gas is not made', () => {
    // The pair earns 0.083849 USDC beside the maker.
    const sellWei = wei('12')
    expect(routed(both, { sellWei, gasCost: gasCost(0.08 / 90_000) }).legs).toHaveLength(2)
    expect(routed(both, { sellWei, gasCost: gasCost(0.09 / 90_000) }).legs).toHaveLength(1)
  })
  test('one WETH prefers the maker at 3000 with and without gas', () => {
    for (const usdc of [0, 1e-6, 6e-6, 1e-4])
      expect(shares(routed(both, { sellWei: wei('1'), gasCost: gasCost(usdc) }))).toEqual([
        ['maker', wei('1')],
      ])
  })
  test('where gas is everything the cheapest leg wins', () => {
    expect(shares(routed(both, { sellWei: wei('1'), gasCost: gasCost(1) }))).toEqual([
      ['pair', wei('1')],
    ])
  })
})

describe('bestRoute: tokens of few units', () => {
  const token = (symbol: string, decimals: number, digit: string) => ({
    ...{ chainId: 31_337, symbol, decimals, address: `0x${digit.repeat(40)}` as const },
  })
  const [sell, coupon, cash, buy] = [
    token('SELL', 18, '5'),
    // Cannot be divided: the search in doubles has a part of one go on to `cash`.
    token('COUPON', 0, '6'),
    token('CASH', 6, '7'),
    token('BUY', 18, '8'),
  ]
  type Side = readonly [token: typeof sell, reserve: bigint]
  const bothWays = (source: string, [one, has]: Side, [other, gets]: Side) => [
    pairOffer({ source, sell: one, buy: other }, { sold: has, bought: gets }),
    pairOffer({ source, sell: other, buy: one }, { sold: gets, bought: has }),
  ]
  const e18 = 10n ** 18n

  test.each([8n, 20n, 40n, 80n])(
    'sells nothing of a token that it did not buy: a pool that pays %i thousandths more',
    (more) => {
      const offers = [
        ...bothWays('a', [sell, 5_000n * e18], [coupon, 100_000n]),
        ...bothWays('b', [coupon, 100_000n], [buy, 5_000n * e18]),
        ...bothWays('c', [coupon, 2_000_000n], [cash, 300_000_000_000_000n]),
        ...bothWays(
          'd',
          [cash, 2_000_000_000n],
          [buy, (2_000n * e18 * (1_000n + more)) / 3_000_000n],
        ),
      ]
      for (const sellWei of [e18 / 2n, e18, 5n * e18]) {
        const gasCost = () => 1e8
        const found = bestRoute(offers, { sell, buy, sellWei, hubs: [coupon, cash], gasCost })
        if ('kind' in found) throw new Error(found.kind)
        expectHeld(found, sellWei)
      }
    },
  )
})

describe('bestRoute: minimums', () => {
  const picky = makerOffer(
    { source: 'maker', ...selling },
    { side: 'bid', levels: levelsOf(WETH, [[10, 2985]]), minimum: wei('8') },
  )
  const pair = both[0] as Offer
  test('a maker is never handed less than its minimum in a split', () => {
    for (const amount of ['1', '3', '7', '8', '9', '15', '40']) {
      const { legs } = routed([picky, pair], { sellWei: wei(amount) })
      for (const { offer, sellWei } of legs)
        if (offer.source === 'maker') expect(sellWei).toBeGreaterThanOrEqual(wei('8'))
    }
    expect(routed([picky, pair], { sellWei: wei('40') }).legs).toHaveLength(2)
  })
  test('alone it refuses what is too little, and what is too much', () => {
    expect(route([picky], { sellWei: wei('7.999999999999999999') })).toEqual({
      kind: 'below-minimum',
    })
    expect(route([picky], { sellWei: wei('10.000000000000000001') })).toEqual({
      kind: 'exceeds-depth',
    })
    expect(route([], {})).toEqual({ kind: 'no-offer' })
  })
  test('the whole depth of several is filled, a wei more is not', () => {
    const other = makerOffer(
      { source: 'other', ...selling },
      { side: 'bid', levels: levelsOf(WETH, [[3.3, 2999]]) },
    )
    const makers = [...only('maker').slice(0, 1), other]
    expect(routed(makers, { sellWei: wei('48.3') }).legs).toHaveLength(2)
    expect(route(makers, { sellWei: wei('48.300000000000000001') })).toEqual({
      kind: 'exceeds-depth',
    })
  })
})

describe('bestRoute: books that do not fall', () => {
  test('a better level behind a worse one is had only with it', () => {
    const odd = makerOffer(
      { source: 'odd', ...selling },
      {
        side: 'bid',
        levels: levelsOf(WETH, [
          [10, 2970],
          [15, 3001],
        ]),
      },
    )
    const pair = both[0] as Offer
    for (const amount of ['0.5', '5', '10', '20', '25', '40']) {
      const sellWei = wei(amount)
      const found = routed([odd, pair], { sellWei })
      for (const offer of [odd, pair]) {
        const fill = offer.fill(sellWei)
        if (fill.kind === 'filled') expect(found.buyWei).toBeGreaterThanOrEqual(fill.buyWei)
      }
      for (const { offer, sellWei: sold, buyWei } of found.legs)
        expect(offer.fill(sold)).toEqual({ kind: 'filled', buyWei })
    }
  })
})

describe('bestRoute: hops', () => {
  const million = 1_000_000n
  const wethDai = pairOffer(
    { source: 'a', sell: WETH, buy: DAI },
    { sold: 1_000n * 10n ** 18n, bought: 3n * million * 10n ** 18n },
  )
  const daiUsdc = pairOffer(
    { source: 'b', sell: DAI, buy: USDC },
    { sold: 2n * million * 10n ** 18n, bought: 2n * million * 10n ** 6n },
  )
  const hubs = [DAI, WBTC]

  test('each hop sells exactly what the one before brought', () => {
    const { legs, buyWei } = routed([wethDai, daiUsdc], { sellWei: wei('5'), hubs })
    expect(legs.map(({ offer }) => offer.source)).toEqual(['a', 'b'])
    expect(legs[1]?.sellWei).toBe(legs[0]?.buyWei)
    expect(buyWei).toBe(legs[1]?.buyWei)
  })
  test('no hub, no path', () => {
    expect(route([wethDai, daiUsdc], { sellWei: wei('5') })).toEqual({ kind: 'no-offer' })
  })
  test('a path joins a split, and never a pool twice', () => {
    const { legs, buyWei } = routed([...both, wethDai, daiUsdc], { sellWei: wei('100'), hubs })
    expect(legs.map(({ offer }) => offer.source).sort()).toEqual(['a', 'b', 'maker', 'pair'])
    const direct = routed(both, { sellWei: wei('100') })
    expect(buyWei).toBeGreaterThan(direct.buyWei)
    const sold = legs.filter(({ offer }) => offer.sell === WETH)
    expect(sold.reduce((sum, { sellWei }) => sum + sellWei, 0n)).toBe(wei('100'))
  })
  test("one maker's inventory is used once", () => {
    const levels = levelsOf(WETH, [[50, 3000]])
    const direct = makerOffer(
      { source: 'maker', ...selling },
      { side: 'bid', levels, resource: 'maker:USDC' },
    )
    const viaDai = makerOffer(
      { source: 'maker', sell: DAI, buy: USDC },
      { side: 'bid', levels: levelsOf(DAI, [[200_000, 1.01]]), resource: 'maker:USDC' },
    )
    const { legs } = routed([direct, wethDai, viaDai], { sellWei: wei('20'), hubs })
    expect(legs.filter(({ offer }) => offer.resource === 'maker:USDC')).toHaveLength(1)
  })
  test('three hops', () => {
    const daiBtc = pairOffer(
      { source: 'c', sell: DAI, buy: WBTC },
      { sold: 2n * million * 10n ** 18n, bought: 22n * 10n ** 8n },
    )
    const btcUsdc = pairOffer(
      { source: 'd', sell: WBTC, buy: USDC },
      { sold: 22n * 10n ** 8n, bought: 2n * million * 10n ** 6n },
    )
    const { legs } = routed([wethDai, daiBtc, btcUsdc], { sellWei: wei('5'), hubs })
    expect(legs.map(({ offer }) => offer.source)).toEqual(['a', 'c', 'd'])
  })
})

/** Whole units at prices in units; what a fill loses by rounding is `lost` more than the curve says. */
function unitOffer(
  source: string,
  levels: readonly (readonly [number, number])[],
  lost = 0,
): Offer {
  const depth = levels.reduce((sum, [amount]) => sum + amount, 0)
  let end = 0
  const pieces = levels.map(([size, price]) => {
    end += size
    return { until: BigInt(end), size, price, curvature: 0 }
  })
  return {
    ...selling,
    ...{ source, feeBps: 0, gas: 0n, resource: source, minimum: { sellWei: 0n, buyWei: 0n } },
    settlement: { kind: 'amm', executorData: '0x' },
    fill(sellWei) {
      if (sellWei <= 0n) return { kind: 'below-minimum' }
      if (sellWei > BigInt(depth)) return { kind: 'exceeds-depth' }
      let left = Number(sellWei)
      let bought = 0
      for (const [amount, price] of levels) {
        const part = Math.min(left, amount)
        left -= part
        bought += part * price
      }
      return { kind: 'filled', buyWei: BigInt(Math.floor(bought)) - BigInt(lost) }
    },
    curve: () => pieces,
  }
}

describe('bestRoute: few units', () => {
  test('rounding never takes more from the smaller source than it sells', () => {
    const offers = [
      unitOffer('a', [
        [10, 3],
        [100, 1.4],
      ]),
      unitOffer('b', [[100, 1.5]]),
    ]
    const found = routed(offers, { sellWei: 12n })
    expect([found.buyWei, shares(found)]).toEqual([
      33n,
      [
        ['a', 10n],
        ['b', 2n],
      ],
    ])
  })

  test('sets that doubles cannot tell apart are run exactly', () => {
    const offers = [
      unitOffer('a', [[10, 3]]),
      unitOffer('b', [[100, 1.7]], 1),
      unitOffer('c', [[100, 1.5]]),
    ]
    const found = routed(offers, { sellWei: 12n })
    expect([found.buyWei, shares(found)]).toEqual([
      33n,
      [
        ['a', 10n],
        ['c', 2n],
      ],
    ])
  })

  test('three paths together take what one cannot', () => {
    const hubs = ['5', '6', '7'].map((digit) => ({
      ...DAI,
      symbol: `HUB${digit}`,
      address: `0x${digit.repeat(40)}` as const,
    }))
    const offers = hubs.flatMap((hub) => [
      { ...unitOffer(`in-${hub.symbol}`, [[10, 3]]), buy: hub },
      { ...unitOffer(`out-${hub.symbol}`, [[100, 2]]), sell: hub },
    ])
    const found = routed(offers, { sellWei: 30n, hubs })
    expect([found.buyWei, found.legs.length]).toEqual([180n, 6])
  })
})

/** Pools and makers around 3000 USDC per WETH, of every kind and size. */
function randomOffers(next: () => number, count: number): Offer[] {
  return Array.from({ length: count }, (_, index) => {
    const pair = { source: `source-${String.fromCharCode(97 + index)}`, ...selling }
    const price = 2970 + next() * 60
    const kind = next()
    if (kind < 0.4) {
      const sold = BigInt(Math.floor(10 ** (19 + next() * 3)))
      const bought = (sold * BigInt(Math.floor(price * 1_000))) / 1_000n / 10n ** 12n
      return pairOffer(pair, { sold, bought })
    }
    if (kind < 0.6) return poolOffer(pair, atPrice(randomPool(next), price * 1e-12))
    let level = price
    const levels = levelsOf(
      WETH,
      Array.from({ length: 1 + Math.floor(next() * 4) }, (): [number, number] => {
        level -= 0.5 + next() * 5
        return [0.1 + next() * 20, level]
      }),
    )
    return makerOffer(pair, { side: 'bid', levels })
  })
}

/** The pool's ranges moved to where token1 per token0 is the price. */
function atPrice(state: ReturnType<typeof randomPool>, price: number) {
  const { spacing } = state
  const target = Math.log(price) / Math.log(1.0001)
  const shift = Math.round((target - state.tick) / spacing) * spacing
  const moved = state.ticks.map(({ tick, net }) => ({ tick: tick + shift, net: net * 1000n }))
  const tick = state.tick + shift
  const root = Math.sqrt(1.0001 ** (tick + 0.5))
  return {
    ...state,
    tick,
    ticks: moved,
    liquidity: state.liquidity * 1000n,
    price: BigInt(Math.floor(root * 2 ** 96)),
  }
}

const net = (found: ReturnType<typeof bestRoute>) => ('kind' in found ? 0n : found.buyWei)

describe('bestRoute: properties over random markets', () => {
  const next = random(42)
  const markets = Array.from({ length: 300 }, () => ({
    offers: randomOffers(next, 2 + Math.floor(next() * 6)),
    // From a wei to beyond what most of them hold.
    sellWei: BigInt(Math.floor(10 ** (next() < 0.3 ? next() * 15 : 15 + next() * 5.5))),
  }))

  test('never worse than the best single source', () => {
    for (const { offers, sellWei } of markets) {
      const alone = offers.map((offer) => offer.fill(sellWei))
      const best = alone.reduce(
        (most, fill) => (fill.kind === 'filled' && fill.buyWei > most ? fill.buyWei : most),
        0n,
      )
      expect(net(route(offers, { sellWei }))).toBeGreaterThanOrEqual(best)
    }
  })

  test('never worse than a thousand buckets', () => {
    for (const { offers, sellWei } of markets.slice(0, 40)) {
      const bucketed = thousandBuckets(offers, sellWei)
      if (bucketed > 0n)
        expect(net(route(offers, { sellWei })) + BigInt(offers.length)).toBeGreaterThanOrEqual(
          bucketed,
        )
    }
  })

  test('the order of the sources does not matter', () => {
    for (const { offers, sellWei } of markets) {
      const expected = route(offers, { sellWei })
      for (const order of [[...offers].reverse(), [...offers].sort(() => next() - 0.5)])
        expect(route(order, { sellWei })).toEqual(expected)
    }
  })

  test('the legs add up, none is used twice', () => {
    for (const { offers, sellWei } of markets) {
      const found = route(offers, { sellWei })
      if ('kind' in found) continue
      expect(found.legs.reduce((sum, leg) => sum + leg.sellWei, 0n)).toBe(sellWei)
      expect(found.legs.reduce((sum, leg) => sum + leg.buyWei, 0n)).toBe(found.buyWei)
      expect(new Set(found.legs.map(({ offer }) => offer.source)).size).toBe(found.legs.length)
      for (const { offer, sellWei: sold, buyWei } of found.legs)
        expect(offer.fill(sold)).toEqual({ kind: 'filled', buyWei })
    }
  })

  test('moving a unit between legs never brings more than two units', () => {
    for (const { offers, sellWei } of markets) {
      const found = route(offers, { sellWei })
      if ('kind' in found) continue
      for (const from of found.legs)
        for (const to of offers) {
          if (to === from.offer) continue
          const leg = found.legs.find(({ offer }) => offer === to)
          const less = from.offer.fill(from.sellWei - 1n)
          const more = to.fill((leg?.sellWei ?? 0n) + 1n)
          if (less.kind !== 'filled' || more.kind !== 'filled') continue
          const gain = less.buyWei + more.buyWei - from.buyWei - (leg?.buyWei ?? 0n)
          expect(gain).toBeLessThanOrEqual(2n)
        }
    }
  })

  test('one more source never lowers the output', () => {
    for (const { offers, sellWei } of markets) {
      const [, ...fewer] = offers
      const before = net(route(fewer, { sellWei }))
      // Each leg rounds down: one more leg may lose one more unit.
      expect(net(route(offers, { sellWei })) + 1n).toBeGreaterThanOrEqual(before)
    }
  })

  test('selling more brings more, and each further unit no more than the one before', () => {
    for (const { offers, sellWei } of markets.slice(0, 100)) {
      const step = sellWei / 10n + 1n
      const brought = Array.from({ length: 12 }, (_, index) => ({
        sellWei: step * BigInt(index + 1),
        found: route(offers, { sellWei: step * BigInt(index + 1) }),
      })).filter(({ found }) => !('kind' in found))
      brought.forEach(({ found }, index) => {
        const before = net(brought[index - 1]?.found ?? { kind: 'no-offer' })
        const twice = net(brought[index - 2]?.found ?? { kind: 'no-offer' })
        expect(net(found)).toBeGreaterThanOrEqual(before)
        if (index >= 2) {
          // A pool rounds wherever it stops.
          const slack = offers.reduce((sum, offer) => sum + 2n * BigInt(offer.curve().length), 0n)
          expect(net(found) - before).toBeLessThanOrEqual(before - twice + slack)
        }
      })
    }
  })

  test('beyond eight sources the least useful are dropped, and it is still no worse than any alone', () => {
    for (let run = 0; run < 40; run += 1) {
      const offers = randomOffers(next, 12)
      const sellWei = BigInt(Math.floor(10 ** (17 + next() * 3.5)))
      const found = route(offers, { sellWei, gasCost: () => 2 })
      if ('kind' in found) continue
      expect(found.legs.length).toBeLessThanOrEqual(8)
      const gas = found.legs.reduce((sum, { offer }) => sum + offer.gas, 0n)
      for (const offer of offers) {
        const fill = offer.fill(sellWei)
        if (fill.kind === 'filled')
          expect(found.buyWei - 2n * gas).toBeGreaterThanOrEqual(fill.buyWei - 2n * offer.gas)
      }
    }
  })
})

/** Greedy by marginal output over a thousand equal parts: exact for concave sources. */
function thousandBuckets(offers: readonly Offer[], sellWei: bigint): bigint {
  const part = sellWei / 1_000n
  if (part === 0n) return 0n
  const filled = (offer: Offer, amount: bigint) => {
    if (amount === 0n) return 0n
    const fill = offer.fill(amount)
    if (fill.kind === 'exceeds-depth') return undefined
    return fill.kind === 'filled' ? fill.buyWei : 0n
  }
  const sold = offers.map(() => 0n)
  for (let bucket = 0; bucket < 1_000; bucket += 1) {
    let best = { gain: -1n, index: -1 }
    offers.forEach((offer, index) => {
      const now = filled(offer, sold[index] ?? 0n)
      const more = filled(offer, (sold[index] ?? 0n) + part)
      if (now !== undefined && more !== undefined && more - now > best.gain)
        best = { gain: more - now, index }
    })
    if (best.index < 0) return 0n
    sold[best.index] = (sold[best.index] ?? 0n) + part
  }
  return offers.reduce((sum, offer, index) => sum + (filled(offer, sold[index] ?? 0n) ?? 0n), 0n)
}

test('gas per piece is paid for a piece that is begun, not for one that ends with the amount', () => {
  const levels = levelsOf(WETH, [
    [10, 3000],
    [10, 2999],
  ])
  const stepped = {
    ...makerOffer({ source: 'stepped', ...selling }, { side: 'bid', levels }),
    gasPerPiece: 100_000n,
  }
  const plain = makerOffer(
    { source: 'plain', ...selling },
    { side: 'bid', levels: levelsOf(WETH, [[20, 2999.5]]) },
  )
  // A hundred thousand gas are worth 6 USDC.
  const gasCost = () => 60
  const chosen = (amount: string) =>
    routed([stepped, plain], { sellWei: wei(amount), gasCost }).legs.map(
      ({ offer }) => offer.source,
    )
  expect([chosen('10'), chosen('10.001')]).toEqual([['stepped'], ['plain']])
})
