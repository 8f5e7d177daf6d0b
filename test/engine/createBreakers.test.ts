import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openJournal } from '../../src/bot/journal/openJournal.ts'
import { drive, resume } from '../../src/bot/life/drive.ts'
import { swap, wait } from '../../src/bot/strategy/index.ts'
import type { LoadedStrategy } from '../../src/bot/strategy/load.ts'
import { amountOf, parseAmount, tokenOf } from '../../src/core/amount.ts'
import { type Clock, systemClock } from '../../src/core/clock.ts'
import { ballastError } from '../../src/core/errors.ts'
import { hourMs } from '../../src/core/spans.ts'
import { type Clocks, createBreakers } from '../../src/engine/createBreakers.ts'
import { createJournaledWorld } from '../../src/engine/createJournaledWorld.ts'
import { openLook } from '../../src/engine/look.ts'
import { turn } from '../../src/engine/turn.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { places } from '../support/journals.ts'
import { openBot } from '../support/openBot.ts'
import { silent } from '../support/silent.ts'

/** The turns of a world, as the schedule takes them. */
const turning =
  (world: ReturnType<typeof createJournaledWorld>) => (loaded: LoadedStrategy, at: number) =>
    turn(world, { loaded, slot: at })

let fork: Fork
let bot: Awaited<ReturnType<typeof openBot>>

beforeAll(async () => {
  fork = await forkOrigin()
  bot = await openBot(fork)
})
afterAll(async () => {
  await bot.close()
  await fork.close()
})
beforeEach(async () => {
  await bot.journal.locks.release({ id: undefined, reason: 'the next test' })
})

/** Asks for nothing but the head and the balances. */
const idle = {
  name: 'idle',
  strategy: { decide: () => ({ kind: 'wait', reason: 'a test' }) } as never,
  params: {},
  schedule: { everyMs: 1_000 } as never,
  watches: [],
  priority: 0,
}

type ServiceClock = ReturnType<typeof bot.market.serviceClock>

/** One question to a strategy as `ballast run` asks it; how the look ended, and the locks that hold then. */
function asking({
  aheadMs = 0,
  serviceClock = () => undefined,
  loaded = idle,
  market = bot.market,
  clock = { ...systemClock, now: () => systemClock.now() + aheadMs },
  clocks = {},
}: {
  aheadMs?: number
  clock?: Clock
  serviceClock?: () => ServiceClock
  loaded?: LoadedStrategy
  market?: typeof bot.market
  clocks?: Clocks
}) {
  const { config, journal, train } = bot
  const log = silent
  const watched = { serviceClock, rpc: market.rpc }
  const breakers = createBreakers({ config, journal, market: watched, clock, log, clocks })
  const tick = turning(
    createJournaledWorld({
      unjudged: new Set(),
      config,
      isInForce: () => true,
      assertPriced: () => {},
      journal,
      clock,
      driver: {
        drive: (planned, at) => drive(planned, { ...train, clock }, at),
        resume: (swapId, at) => resume(swapId, { ...train, clock }, at),
      },
      forget: () => {},
      appraise: market.appraise,
      look: openLook({
        config,
        market,
        standingOf: journal.decisions.inputs,
        reserved: async () => [],
        clock,
        onHead: breakers.atHead,
      }),
      breakers,
      log,
      say: () => {},
      signal: new AbortController().signal,
    }),
  )
  return async () => {
    const failure = await tick(loaded, clock.now()).then(
      () => undefined,
      (error: { code?: string }) => error.code,
    )
    return { failure, locks: await journal.locks.live() }
  }
}

describe('a clock that runs ahead', () => {
  const stale = { failure: 'STALE_MARKET', locks: [] }
  test('[CHAIN-14] by more than breakers.clock.ahead, for breakers.clock.over: its every look is stale, and it locks', async () => {
    const { aheadMs, overMs } = bot.config.breakers.clock
    expect([aheadMs, overMs]).toEqual([60_000, 300_000])
    let passed = 0
    const ask = asking({
      clock: { ...systemClock, now: () => systemClock.now() + aheadMs + 1_000 + passed },
    })
    expect(await ask()).toEqual(stale)
    passed = overMs / 2
    expect(await ask()).toEqual(stale)
    passed = overMs
    expect(await ask()).toMatchObject({
      failure: 'STALE_MARKET',
      locks: [
        {
          code: 'CLOCK_SKEW',
          scope: 'all',
          reason: expect.stringMatching(/^this clock is \d{6} ms ahead/),
        },
      ],
    })
  })
  test('by less: stale, and nothing is locked', async () => {
    expect(await asking({ aheadMs: 50_000 })()).toEqual(stale)
  })
  test('[F10] a node that is behind for a while, and then not, locks nothing; the next time counts anew', async () => {
    let passed = 0
    const ask = asking({ clock: { ...systemClock, now: () => systemClock.now() + passed } })
    const looks = []
    for (passed of [200_000, 400_000, 0, 500_000, 700_000]) looks.push((await ask()).locks.length)
    expect(looks).toEqual([0, 0, 0, 0, 0])
  })
})

describe('a service that says another time', () => {
  const skewed = (ageMs = 0) => ({ aheadMs: 3_600_000, at: systemClock.now() - ageMs })
  const skew = { failure: undefined, locks: [{ code: 'CLOCK_SKEW' }] }
  const quiet = { failure: undefined, locks: [] }

  test('[API-37] locks once for each answer: what was judged does not lock again after resume', async () => {
    let said: ServiceClock = skewed()
    const ask = asking({ serviceClock: () => said })
    expect(await ask()).toMatchObject(skew)
    await bot.journal.locks.release({ id: undefined, reason: 'its proxy said so' })
    expect(await ask()).toEqual(quiet)
    said = skewed()
    expect(await ask()).toMatchObject(skew)
  })
  test('a change of the configuration forgets no answer that was judged', async () => {
    const clocks: Clocks = {}
    const said: ServiceClock = skewed()
    const ask = () => asking({ serviceClock: () => said, clocks })()
    expect(await ask()).toMatchObject(skew)
    await bot.journal.locks.release({ id: undefined, reason: 'its proxy said so' })
    expect(await ask()).toEqual(quiet)
  })
  test('longer ago than three minutes: nothing is locked', async () => {
    expect(await asking({ serviceClock: () => skewed(181_000) })()).toEqual(quiet)
  })
  test('the market keeps when it was said', async () => {
    const before = systemClock.now()
    await bot.market.quotes.chains()
    const said = bot.market.serviceClock()
    expect(said?.at).toBeGreaterThanOrEqual(before)
    expect(Math.abs(said?.aheadMs ?? 99_999)).toBeLessThan(5_000)
  })
})

describe('prices against our own of the last day', () => {
  const bySymbol = () => bot.config.tokens.bySymbol
  /** Looks at 1 WETH; sells it where it is told to. */
  const seller = (name: string, sells: boolean): LoadedStrategy => {
    const [sell, buy] = [parseAmount('1 WETH', bySymbol()), tokenOf('USDC', bySymbol())]
    const intent = { sell, buy, floor: amountOf(buy, '2900'), reason: 'a test' }
    const decide = () => (sells ? swap(intent) : wait('a test'))
    return { ...idle, name, strategy: { decide } as never, watches: [{ sell, buy }] }
  }
  const kept = async () => {
    const [weth, usdc] = [tokenOf('WETH', bySymbol()), tokenOf('USDC', bySymbol())]
    const isKept = BigInt(weth.address) < BigInt(usdc.address)
    const [sold, bought] = (isKept ? [weth, usdc] : [usdc, weth]).map((token) => ({
      token,
      wei: 1n,
    }))
    if (sold === undefined || bought === undefined) throw new Error('two tokens')
    const scope = `pair ${sold.token.symbol}/${bought.token.symbol}`
    return (await bot.journal.breakers.pricesOfDay({ price: { sold, bought }, scope })).before
      .length
  }
  const drift = [{ code: 'PRICE_DRIFT', scope: expect.stringMatching(/^pair \w+\/\w+$/) }]
  const lying = (change: Partial<typeof bot.market>) => ({ ...bot.market, ...change })
  const fair =
    (percent: bigint): typeof bot.market.appraise =>
    async (ask) => {
      const appraisal = await bot.market.appraise(ask)
      const references = appraisal.references.map((one) => ({
        ...one,
        fair: { ...one.fair, wei: (one.fair.wei * percent) / 100n },
      }))
      return { ...appraisal, references }
    }
  const quotes = (percent: bigint): typeof bot.market.quotes => ({
    ...bot.market.quotes,
    indicative: async (ask, signal) => {
      const told = await bot.market.quotes.indicative(ask, signal)
      const wei = (BigInt(told.value.buyerTokenAmountWei) * percent) / 100n
      return { ...told, value: { ...told.value, buyerTokenAmountWei: `${wei}` } }
    },
  })

  test('a look is remembered though nothing is sold, once an hour', async () => {
    expect(await kept()).toBe(0)
    const ask = asking({ loaded: seller('looks', false) })
    for (const _ of [1, 2]) expect(await ask()).toEqual({ failure: undefined, locks: [] })
    expect(await kept()).toBe(1)
  })
  test('a look at a price 71 % of ours passes, at 69 % it locks the pair and is not kept', async () => {
    const at = (percent: bigint) =>
      asking({
        loaded: seller(`at ${percent}`, false),
        market: lying({ quotes: quotes(percent) }),
      })()
    expect((await at(71n)).locks).toEqual([])
    expect((await at(69n)).locks).toMatchObject(drift)
    expect(await kept()).toBe(1)
  })
  test('references that fell between the look and the plan: refused before it is stored', async () => {
    const market = lying({ appraise: fair(69n) })
    expect((await asking({ loaded: seller('plans', true), market })()).locks).toMatchObject(drift)
    expect(await bot.journal.swaps.history({ limit: 9, strategy: 'plans' })).toEqual([])
    expect(await bot.journal.decisions.countRefusals({ strategy: 'plans' })).toEqual([
      { code: 'LOCKED', count: 1 },
    ])
  })
  test('after a person let it go on, the fallen price is the first of a new day', async () => {
    await asking({ loaded: seller('before', false) })()
    const fell = lying({ quotes: quotes(50n) })
    const ask = asking({ loaded: seller('fell', false), market: fell })
    expect((await ask()).locks).toMatchObject(drift)
    await bot.journal.locks.release({ id: undefined, reason: 'it really fell' })
    expect((await ask()).locks).toEqual([])
    expect(await kept()).toBe(1)
  })
  /** A journal of its own whose plans are judged; `isLockedAt` is told what an amount of WETH is worth. */
  async function judgingPlans() {
    const place = await places[0]?.make()
    if (place === undefined) throw new Error('a file is one of the places')
    let now = 1_000 * hourMs
    const clock: Clock = { now: () => now, sleep: async () => {} }
    const journal = await openJournal({ ...place, clock, coin: bot.config.tokens })
    const market = { serviceClock: () => undefined, rpc: bot.market.rpc }
    const breakers = createBreakers({ config: bot.config, journal, market, clock, log: silent })
    const buy = tokenOf('USDC', bySymbol())
    return {
      pass: (ms: number) => {
        now += ms
      },
      async isLockedAt(usdc: string, weth = '1') {
        const arrival = { fair: amountOf(buy, usdc), sources: [], at: now }
        const intent = { sell: parseAmount(`${weth} WETH`, bySymbol()) }
        await breakers.atPlan({ intent, arrival, indication: undefined } as never)
        return (await journal.locks.live()).length > 0
      },
      async [Symbol.asyncDispose]() {
        await journal.shut()
        await place.remove()
      },
    }
  }

  test('a price that locked is not kept: the same lie hour after hour carries nothing', async () => {
    await using plans = await judgingPlans()
    const locked = [await plans.isLockedAt('3000')]
    for (const _ of [1, 2, 3]) {
      plans.pass(hourMs)
      locked.push(await plans.isLockedAt('30'))
    }
    // An hour after the last of them its lock is over, and the honest price is what it was.
    plans.pass(hourMs)
    locked.push(await plans.isLockedAt('3000'))
    expect(locked).toEqual([false, true, true, true, false])
  })
  test('a price of few units is not kept: no later one is judged by it', async () => {
    await using plans = await judgingPlans()
    const locked = [await plans.isLockedAt('0.000001', '0.0000000000003')]
    for (const usdc of ['3000', '30']) locked.push(await plans.isLockedAt(usdc))
    expect(locked).toEqual([false, false, true])
  })
})

test('two nodes that contradict each other at a look that wants a reference lock everything', async () => {
  const { bySymbol } = bot.config.tokens
  const [sell, buy] = [parseAmount('1 WETH', bySymbol), tokenOf('USDC', bySymbol)]
  const loaded = {
    ...idle,
    name: 'refers',
    watches: [{ sell, buy, wants: ['reference' as const] }],
  }
  const appraise = async () => {
    throw ballastError('REFERENCES_DISAGREE', 'They differ.', { 'feed WETH/USD': '30 and 3000' })
  }
  expect(await asking({ loaded, market: { ...bot.market, appraise } })()).toMatchObject({
    failure: 'REFERENCES_DISAGREE',
    locks: [
      {
        ...{ code: 'RPC_DISAGREEMENT', scope: 'all' },
        reason: 'two nodes disagree about the chain: feed WETH/USD: 30 and 3000',
      },
    ],
  })
})

test('the end of a swap that nobody judged is judged at the next start, and not again', async () => {
  const { config, journal, market, swap: swapOne } = bot
  const { record, swapId } = await swapOne({ sell: '1 WETH', buy: 'USDC', floor: '2900 USDC' })
  expect(record.state).toBe('SETTLED')
  const breakers = createBreakers({ config, journal, market, clock: systemClock, log: silent })
  await breakers.atStart()
  expect(await journal.locks.live()).toEqual([])
  if (config.database.dialect !== 'sqlite') throw new Error('it is a file')
  const file = new DatabaseSync(config.database.path)
  file.prepare('UPDATE swap SET short = 1 WHERE id = ?').run(swapId)
  file.close()
  await breakers.atStart()
  expect(await journal.locks.live()).toMatchObject([{ code: 'SHORTFALL', scope: 'all' }])
  // A person has looked at it.
  await journal.locks.release({ id: undefined, reason: 'it came later' })
  await breakers.atStart()
  expect(await journal.locks.live()).toEqual([])
})
