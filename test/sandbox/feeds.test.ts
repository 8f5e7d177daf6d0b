import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { priceSources } from '../../src/chain/abi/contracts.ts'
import { getBlock } from '../../src/chain/calls/node.ts'
import { readContract } from '../../src/chain/calls/readContract.ts'
import { systemClock } from '../../src/core/clock.ts'
import type { Address } from '../../src/core/token.ts'
import { createPrices } from '../../src/sandbox/createPrices.ts'
import { feedAnswer } from '../../src/sandbox/followFeeds.ts'
import { worldSchema } from '../../src/sandbox/world.ts'
import { dollarsOf } from '../../src/sandbox/writeConfig.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { until } from '../support/until.ts'
import { fixedWorld } from '../support/world.ts'

const { deployment } = inject('origin')
const hours = (count: number) => count * 60 * 60 * 1_000

async function round({ rpc }: Fork, symbol: string) {
  const [id, answer, , updatedAt] = await rpc.request(
    readContract({
      address: deployment.feeds[symbol] as Address,
      abi: priceSources.feed,
      functionName: 'latestRoundData',
      args: [],
    }),
  )
  return { id, answer, updatedAt }
}
const head = async ({ rpc }: Fork) => {
  const block = await rpc.request(getBlock('latest'))
  if (block === undefined) throw new Error('a fork has a head')
  return block
}

describe('dollarsOf', () => {
  test('pools carry the worth of dollars to every token they reach', () => {
    expect(dollarsOf(fixedWorld())).toEqual(
      new Map([
        ['USDC', 1],
        ['DAI', 1],
        ['WETH', 3_000],
        ['WBTC', 90_000],
        ['TETHER', 1],
        ['LEAKY', 1],
      ]),
    )
  })

  test('a pool of two tokens that have no worth yet waits for the others', () => {
    const world = fixedWorld()
    const [first] = world.pools
    if (first === undefined) throw new Error('the world has pools')
    const early = { ...first, tokens: ['WETH', 'WBTC'], reserves: ['30', '1'] } as typeof first
    expect(dollarsOf({ ...world, pools: [early, ...world.pools] })).toEqual(dollarsOf(world))
  })

  test('where prices move they say it, and a token nobody prices has no feed', () => {
    const world = worldSchema.parse({
      chain: {
        name: 'local',
        chainId: '31337',
        label: 'Local',
        token: 'ETH',
        blockTimeSeconds: '1',
      },
      tokens: { WETH: { decimals: '18', wrapsNative: true }, LOST: { decimals: '18' } },
      wallets: { treasury: {} },
    })
    expect(dollarsOf(world)).toEqual(new Map())
    const model = { WETH: { start: '2500.5', volatility: 1 } }
    expect(dollarsOf({ ...world, prices: { seed: 1, model } })).toEqual(
      new Map([
        ['WETH', 2_500.5],
        ['LOST', 1],
      ]),
    )
  })
})

describe('followFeeds', () => {
  const prices = { seed: 3, model: { WETH: { start: '3000', volatility: 30 } } }
  let moving: Fork
  beforeAll(async () => {
    moving = await forkOrigin({ world: (world) => ({ ...world, prices }) })
  })
  afterAll(() => moving?.close())

  test('answers along the prices, at most once per block', async () => {
    const path = createPrices({ prices, blockTimeSeconds: 1 })
    const first = await head(moving)
    await until(async () => (await round(moving, 'WETH')).id >= 4n, { everyMs: 100 })
    const { id, answer, updatedAt } = await round(moving, 'WETH')
    const last = await head(moving)
    const blocks = Array.from(
      { length: last.number - first.number + 2 },
      (_, i) => first.number - 1 + i,
    )
    const expected = blocks.map((block) =>
      feedAnswer(path.at(block - deployment.block).get('WETH') ?? 0),
    )
    expect(id).toBeGreaterThanOrEqual(4n)
    expect(expected).toContain(answer)
    expect(Number(id) - 1).toBeLessThanOrEqual(last.number - first.number + 1)
    expect(last.timestamp - Number(updatedAt)).toBeLessThanOrEqual(30)
    // What does not move is said again only because time has passed.
    const still = await round(moving, 'USDC')
    expect(still.answer).toBe(100_000_000n)
    expect(still.id).toBeLessThanOrEqual(2n)
  })

  test('a market that stands still says so before its feeds are a day old', async () => {
    const today = await forkOrigin({ mining: 'auto' })
    const later = { ...systemClock, now: () => systemClock.now() + hours(13) }
    const tomorrow = await forkOrigin({ mining: 'auto', clock: later })
    try {
      await until(async () => (await round(tomorrow, 'WETH')).id >= 2n, { everyMs: 50 })
      const said = await round(tomorrow, 'WETH')
      expect(said).toMatchObject({ id: 2n, answer: 300_000_000_000n })
      const age = (await head(tomorrow)).timestamp - Number(said.updatedAt)
      expect(age).toBeLessThan(60)
      expect((await round(today, 'WETH')).id).toBe(1n)
    } finally {
      await today.close()
      await tomorrow.close()
    }
  })
})
