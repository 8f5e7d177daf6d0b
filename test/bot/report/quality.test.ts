import { expect, test } from 'vitest'
import type { Found, Leg } from '../../../src/bot/aftermath.ts'
import type { Dossier } from '../../../src/bot/dossier.ts'
import { createMakerTally } from '../../../src/bot/report/createMakerTally.ts'
import { qualityOf } from '../../../src/bot/report/quality.ts'
import { coin, dossierOf, native, usdc, wbtc, weth } from './dossierOf.ts'

const maker = `0x${'a'.repeat(40)}` as const
const pool = `0x${'b'.repeat(40)}` as const
const leg = (over: Partial<Leg> = {}): Leg => ({
  ...{ maker, sell: weth.address, sold: 10n ** 17n, buy: usdc.address, bought: 300_500_000n },
  ...over,
})

/** One WETH sold, a tenth of it to a maker and the rest to a pool. */
function swapWith(legs: readonly Leg[], found: Partial<Found>, over: Partial<Dossier> = {}) {
  const swap = dossierOf({ decided: 3_000_000_000n, asked: 3_000_000_000n, ...{ over } })
  const { quote } = swap
  if (quote === undefined) throw new Error('it has a quote')
  return {
    ...swap,
    quote: { ...quote, legs, requestedAt: 100, receivedAt: 140 },
    aftermath: { at: 0, found: { marks: [], ...found } },
  }
}

const filled = (by: 'maker' | 'pool', bought: bigint) => ({
  ...{ by, address: by === 'maker' ? maker : pool, sold: 10n ** 17n, bought },
})
const alone = { when: 'inclusion', block: 6, pool, bought: 2_990_000_000n } as const

test('qualityOf: a leg is held to its share of the middle and of what the pools alone would have paid', () => {
  const rest = leg({ maker: undefined, sold: 9n * 10n ** 17n, bought: 2_700_000_000n })
  const swap = swapWith([leg(), rest], {
    fills: [filled('maker', 300_500_000n), filled('pool', 2_699_000_000n)],
    pools: [alone],
  })
  expect(qualityOf(swap, coin)?.legs).toMatchObject([
    { overMiddle: 500_000n, overPools: 1_500_000n },
    // By what it brought, not by what was promised.
    { overMiddle: -1_000_000n, overPools: 8_000_000n },
  ])
})

test('qualityOf: a leg of another pair, or one without a trace, is held to nothing it is not', () => {
  const hop = leg({ buy: wbtc.address })
  expect(qualityOf(swapWith([hop], { pools: [alone] }), coin)?.legs).toMatchObject([
    { overMiddle: undefined, overPools: undefined },
  ])
  // Two traces of one leg: some token logged what looks like a trade.
  const twice = { fills: [filled('pool', 1n), filled('maker', 2n)] }
  expect(qualityOf(swapWith([leg()], twice), coin)?.legs).toMatchObject([
    { fill: undefined, overMiddle: 500_000n },
  ])
  const inCoin = dossierOf({ sell: { token: native, wei: 10n ** 18n } })
  if (inCoin.quote === undefined) throw new Error('it has a quote')
  const swap = { ...inCoin, quote: { ...inCoin.quote, legs: [leg()] } }
  expect(qualityOf({ ...swap, moved: undefined }, coin)).toBeUndefined()
})

test('createMakerTally: offered, taken, filled, declined and faded, by maker', () => {
  const tally = createMakerTally()
  const swaps = [
    swapWith([leg()], { fills: [filled('maker', 300_500_000n)] }),
    // It was a maker's leg, and a pool filled it.
    swapWith([leg()], { fills: [filled('pool', 300_000_000n)] }),
    swapWith([leg(), leg({ maker: undefined })], {}, { state: 'EXPIRED_DEAD', moved: undefined }),
    swapWith([leg()], {}, { state: 'ABANDONED', moved: undefined, attempts: [] }),
    // Its bytes never left this machine: that is no fade of the maker.
    swapWith([leg()], {}, { state: 'EXPIRED_DEAD', moved: undefined, attempts: [] }),
  ]
  for (const swap of swaps) tally.add(swap, qualityOf(swap, coin))
  expect(tally.result()).toMatchObject([
    { maker: undefined, offered: 1, filled: 0, faded: 1 },
    {
      ...{ maker, offered: 5, filled: 1, declined: 1, faded: 1 },
      latencies: [40, 40, 40, 40, 40],
      overMiddleBps: expect.closeTo((16.67 + 0) / 2, 2),
    },
  ])
  expect(tally.result()[1]?.taken).toBe(3)
})

test('createMakerTally: a leg that is worth no unit to the middle has no figure, and ends no report', () => {
  const tally = createMakerTally()
  const swap = swapWith([leg()], { fills: [filled('maker', 1n)] })
  const quality = qualityOf(swap, coin)
  const [own] = quality?.legs ?? []
  if (quality === undefined || own === undefined) throw new Error('it was judged')
  const fill = { ...own.fill, by: 'maker', bought: 1n } as typeof own.fill
  tally.add(swap, { ...quality, legs: [{ ...own, fill, overMiddle: 1n, overPools: undefined }] })
  expect(tally.result()).toMatchObject([{ filled: 1, overMiddleBps: undefined }])
})
