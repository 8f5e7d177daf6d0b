import { expect, test } from 'vitest'
import { createLook } from '../../../src/app/dashboard/createLook.ts'
import { keepPlans } from '../../../src/app/dashboard/keepPlans.ts'
import type { Served } from '../../../src/app/dashboard/served.ts'
import { targetsOf } from '../../../src/app/dashboard/strategyDetail.ts'
import { RpcRefused } from '../../../src/chain/rpc/rpc.ts'
import { ballastError } from '../../../src/core/errors.ts'
import type { Token } from '../../../src/core/token.ts'
import { planFixture } from '../../cli/plan/planFixture.ts'

const now = Date.UTC(2026, 10, 27)
const { config, token } = planFixture()
const [weth, usdc] = [token('WETH'), token('USDC')]
const owned = 10n ** 18n
const limited = new RpcRefused('eth_getBalance', { code: -32_005, message: 'limit exceeded' })

/** A look at a node that leaves one balance out of its answer. */
async function look(silent: string | undefined) {
  const symbols = [...config.tokens.bySymbol.keys()]
  const head = { number: 7, timestamp: now / 1_000 }
  const batch = async () => [
    { ok: true, value: head },
    ...symbols.map((symbol) =>
      symbol === silent ? { ok: false, error: limited } : { ok: true, value: owned },
    ),
  ]
  const served = {
    ...{ config, market: { rpc: { batch } }, rules: () => config, mode: 'live' },
    clock: { now: () => now, sleep: () => new Promise(() => {}) },
  } as unknown as Served
  return createLook(served).look()
}

test('a node that leaves out the coin does not answer: nobody could say that gas is short', async () => {
  expect((await look(undefined)).head).toMatchObject({ at: now })
  expect((await look('USDC')).head).toMatchObject({ at: now })
  expect((await look('ETH')).head).toEqual({
    problem: 'The node does not say what the wallet has of ETH.',
  })
})

test('a node that hangs is called once for all who read, and keeps none of them waiting', async () => {
  let calls = 0
  const batch = () => {
    calls += 1
    return new Promise(() => {})
  }
  const late: (() => void)[] = []
  const waits: number[] = []
  const sleep = (ms: number) => {
    waits.push(ms)
    return new Promise<void>((resolve) => late.push(resolve))
  }
  const served = {
    ...{ config, market: { rpc: { batch } }, rules: () => config, mode: 'live' },
    clock: { now: () => now, sleep },
  } as unknown as Served
  const { look } = createLook(served)
  const readers = Array.from({ length: 50 }, () => look())
  for (const end of late) end()
  const problem = 'The node has not answered within 3 s.'
  expect((await Promise.all(readers)).map(({ head }) => head)).toEqual(
    Array.from({ length: 50 }, () => ({ problem })),
  )
  expect([calls, new Set(waits)]).toEqual([1, new Set([3_000])])
})

test('a node that is slow shows what it answered before, for half a minute', async () => {
  let at = now
  let answer: (outcomes: unknown) => void = () => {}
  let end: () => void = () => {}
  const batch = () => new Promise((resolve) => (answer = resolve))
  const served = {
    ...{ config, market: { rpc: { batch } }, rules: () => config, mode: 'live' },
    clock: {
      now: () => at,
      sleep: () => new Promise<void>((resolve) => (end = resolve)),
    },
  } as unknown as Served
  const { look } = createLook(served)
  const late = async () => {
    const looking = look()
    end()
    return (await looking).head
  }
  expect(await late()).toHaveProperty('problem')
  const block = { ok: true, value: { number: 7, timestamp: now / 1_000 } }
  answer([block, ...[...config.tokens.bySymbol].map(() => ({ ok: true, value: owned }))])
  await new Promise(setImmediate)
  at += 30_000
  expect(await late()).toMatchObject({ at: now })
  at += 1
  expect(await late()).toHaveProperty('problem')
})

test('alerts look at the coin and the newest block alone, twice a minute, and a block is no older for it', async () => {
  let at = now
  let isAway = false
  const batches: unknown[][] = []
  const batch = async (calls: unknown[]) => {
    batches.push(calls)
    if (isAway) throw limited
    return [
      { ok: true, value: { number: 7, timestamp: at / 1_000 - 10 } },
      { ok: true, value: owned },
    ]
  }
  const served = {
    ...{ config, market: { rpc: { batch } }, rules: () => config, mode: 'live' },
    clock: { now: () => at },
  } as unknown as Served
  const { brief } = createLook(served)
  for (let round = 0; round < 24; round += 1) {
    const { head, gas } = await brief()
    expect(head).toMatchObject({ at: at - 10_000 })
    expect(gas?.held.wei).toBe(owned)
    at += 5_000
  }
  expect(batches.map((calls) => calls.length)).toEqual([2, 2, 2, 2])

  isAway = true
  at += 30_000
  expect((await brief()).head).toHaveProperty('problem')
  isAway = false
  expect((await brief()).head).toMatchObject({ at: at - 10_000 })
})

test('a balance that was not read makes the weights unknown, and is not nothing', async () => {
  const worth = (one: Token) => ({
    held: { token: one, wei: owned },
    worth: { token: usdc, wei: 1_000n },
  })
  const parts = (one: Token, wei: bigint) => ({ token: one, parts: [{ token: one, wei }] })
  const served = {
    strategies: () => [
      {
        ...{ name: 'broken', params: {} },
        strategy: {
          targets() {
            throw ballastError('STRATEGY_BROKEN', 'broken: targets failed: no answer within 2 s.')
          },
        },
      },
      {
        name: 'half',
        params: {},
        strategy: {
          targets: ({ balances }: { balances: readonly { token: Token; wei: bigint }[] }) =>
            [weth, usdc].map((one) => ({
              ...parts(one, balances.find((held) => held.token === one)?.wei ?? 0n),
              ...{ share: 50_000_000n, band: 0n },
            })),
        },
      },
    ],
    journal: { valuations: { since: async () => [{ holdings: [worth(weth), worth(usdc)] }] } },
    ...{ config, clock: { now: () => now } },
  } as unknown as Served
  const weights = async (...read: Token[]) =>
    (
      await targetsOf(
        served,
        read.map((one) => ({ token: one, wei: owned })),
      )
    ).map(({ nowBps }) => nowBps)
  expect(await weights(weth, usdc)).toEqual([5_000, 5_000])
  expect(await weights(weth)).toEqual([null, null])
})

test('plans of many lengths are made one after the other', async () => {
  const seen: string[] = []
  const plans = keepPlans({
    ...{ config, rules: () => config, strategies: () => [] },
    market: {
      // Read when a plan begins.
      get rpc(): never {
        seen.push('begun')
        throw ballastError('UNREACHABLE', 'The node is away.')
      },
    } as never,
    clock: { now: () => now, sleep: async () => {} },
  })
  const asked = [60_000, 60_001, 60_002].map((spanMs) => plans.plan(spanMs))
  const ended = asked.map((one) => one.then(() => seen.push('ended')))
  await Promise.all([...asked, ...ended])
  expect(seen).toEqual(['begun', 'ended', 'begun', 'ended', 'begun', 'ended'])
})
