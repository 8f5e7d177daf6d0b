/**
 * How long a route takes to find, and v3's maths beside the published SDK's. Printed, never asserted.
 *
 * `node bench/route.ts` takes about ten seconds.
 */
import { createRequire } from 'node:module'
import { swap0 } from '../src/chain/uniswapV3/swap.ts'
import { rememberRatios } from '../src/chain/uniswapV3/ticks.ts'
import { bestRoute } from '../src/service/route/bestRoute.ts'
import { allocate, sweep, turnsOf } from '../src/service/route/sweep.ts'
import type { Offer } from '../src/service/venues/venue.ts'
import { randomWorld } from '../test/service/route/randomWorld.ts'
import { levelsOf, makerOffer, pairOffer, USDC, WETH } from '../test/service/route/sampleOffers.ts'
import { random, randomPool } from '../test/service/venues/uniswapV3/randomPool.ts'
import { median } from './measure.ts'

// Their ES modules do not load in Node; their CommonJS does.
const require = createRequire(import.meta.url)
const { CurrencyAmount, Token: SdkToken } = require('@uniswap/sdk-core') as SdkCore
const { Pool } = require('@uniswap/v3-sdk') as V3Sdk
type SdkCore = typeof import('@uniswap/sdk-core')
type V3Sdk = typeof import('@uniswap/v3-sdk')

const report = (name: string, figure: string, target: string) =>
  console.log(`${name.padEnd(46)}${figure.padStart(14)}   target ${target}`)

/** Microseconds of one run: the median of several batches, after warming up. */
function microseconds(work: () => void, runs: number): number {
  for (let run = 0; run < runs; run += 1) work()
  const batches = Array.from({ length: 9 }, () => {
    const begun = performance.now()
    for (let run = 0; run < runs; run += 1) work()
    return ((performance.now() - begun) * 1_000) / runs
  })
  return median(batches)
}

const direction = { sell: WETH, buy: USDC }
const pool = (index: number, weth: number): Offer =>
  pairOffer(
    { source: `pool-${index}`, ...direction },
    {
      sold: BigInt(weth) * 10n ** 18n,
      bought: BigInt(weth * 3_000 + index) * 10n ** 6n,
    },
  )
const maker = (index: number): Offer =>
  makerOffer(
    { source: `maker-${index}`, ...direction },
    {
      side: 'bid',
      levels: levelsOf(WETH, [
        [10, 3000 - index],
        [15, 2990 - index],
        [20, 2980 - index],
      ]),
    },
  )
const five = [pool(1, 1_000), pool(2, 400), pool(3, 250), maker(1), maker(2)]
const eight = [...five, pool(4, 700), pool(5, 90), maker(3)]

const curves = five.map((offer) => offer.curve())
const active = new Uint8Array(five.length).fill(1)
const amount = 120n * 10n ** 18n
const solve = microseconds(() => {
  const turns = turnsOf(curves)
  const swept = sweep(turns, active, Number(amount))
  if (swept !== undefined) allocate(turns, { active, amount, sweep: swept })
}, 20_000)
report('solve, 3 pools and 2 makers', `${solve.toFixed(2)} us`, '<= 5 us')

const request = { ...direction, sellWei: amount, hubs: [] }
for (const [offers, name] of [
  [five, '5 sources'],
  [eight, '8 sources'],
] as const)
  for (const [gasCost, gas] of [
    [0, 'without gas'],
    [6, 'with gas'],
  ] as const) {
    const time = microseconds(() => {
      bestRoute(offers, { ...request, gasCost: () => gasCost })
    }, 1_000)
    report(`route with subset search, ${name} ${gas}`, `${time.toFixed(1)} us`, '<= 200 us')
  }

// Thin markets of twelve venues between four tokens, each question once: what a service meets.
const nextWorld = random(12)
const worlds = Array.from({ length: 300 }, () => randomWorld(nextWorld))
const once = () =>
  worlds.map(({ offers, request: asked }) => {
    const begun = performance.now()
    bestRoute(offers, asked)
    return performance.now() - begun
  })
once()
const sorted = once().sort((a, b) => a - b)
for (const [share, name] of [
  [0.5, 'median'],
  [0.99, 'of 99 in 100'],
] as const)
  report(
    `route through hubs, 12 venues, 4 tokens, ${name}`,
    `${(sorted[Math.floor(share * sorted.length)] ?? 0).toFixed(2)} ms`,
    share === 0.5 ? '<= 2 ms' : '-',
  )

/** Ours and theirs in turns, so that whatever else the machine does meets both. */
async function beside(): Promise<void> {
  const next = random(5)
  const swaps = Array.from({ length: 40 }, () => {
    const state = randomPool(next)
    const sold = BigInt(Math.floor(10 ** (8 + next() * 10)))
    return { state, sold }
  }).filter(({ state, sold }) => swap0(state, sold, rememberRatios()) !== undefined)
  const [a, b] = ['1', '2'].map((digit) => new SdkToken(1, `0x${digit.repeat(40)}`, 18))
  if (a === undefined || b === undefined) return
  const theirs = swaps.map(({ state, sold }) => ({
    input: CurrencyAmount.fromRawAmount(a, sold.toString()),
    pool: new Pool(
      a,
      b,
      Number(state.fee),
      state.price.toString(),
      state.liquidity.toString(),
      state.tick,
      state.ticks.map(({ tick, net }) => ({
        index: tick,
        liquidityNet: net.toString(),
        liquidityGross: (net < 0n ? -net : net).toString(),
      })),
    ),
  }))
  const ratioAt = rememberRatios()
  const figures: { ours: number; sdk: number }[] = []
  for (let batch = 0; batch < 12; batch += 1) {
    const begun = performance.now()
    for (let run = 0; run < 20; run += 1)
      for (const { state, sold } of swaps) swap0(state, sold, ratioAt)
    const between = performance.now()
    for (const { pool: each, input } of theirs) await each.getOutputAmount(input)
    const ended = performance.now()
    figures.push({
      ours: ((between - begun) * 1_000) / (20 * swaps.length),
      sdk: ((ended - between) * 1_000) / swaps.length,
    })
  }
  const warm = figures.slice(2)
  const ours = median(warm.map((each) => each.ours))
  report('v3 quote, ours', `${ours.toFixed(1)} us`, '-')
  report('v3 quote, @uniswap/v3-sdk', `${median(warm.map(({ sdk }) => sdk)).toFixed(1)} us`, '-')
  const ratio = median(warm.map((each) => each.sdk / each.ours))
  report('v3, the SDK takes so many times longer', ratio.toFixed(1), '> 10')
}
await beside()
