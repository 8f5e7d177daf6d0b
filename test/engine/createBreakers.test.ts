import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { drive, resume } from '../../src/bot/life/drive.ts'
import type { LoadedStrategy } from '../../src/bot/strategy/load.ts'
import { type Clock, systemClock } from '../../src/core/clock.ts'
import { createBreakers } from '../../src/engine/createBreakers.ts'
import { createJournaledWorld } from '../../src/engine/createJournaledWorld.ts'
import { openLook } from '../../src/engine/look.ts'
import { turn } from '../../src/engine/turn.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
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
}: {
  aheadMs?: number
  serviceClock?: () => ServiceClock
}) {
  const clock: Clock = { ...systemClock, now: () => systemClock.now() + aheadMs }
  const { config, journal, market, train } = bot
  const log = silent
  const breakers = createBreakers({ config, journal, market: { serviceClock }, clock, log })
  const tick = turning(
    createJournaledWorld({
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
    const failure = await tick(idle, clock.now()).then(
      () => undefined,
      (error: { code?: string }) => error.code,
    )
    return { failure, locks: await journal.locks.live() }
  }
}

describe('a clock that runs ahead', () => {
  test('[CHAIN-14] by more than breakers.clock.ahead: its every look is stale, and it locks all the same', async () => {
    const { aheadMs } = bot.config.breakers.clock
    expect(aheadMs).toBe(60_000)
    expect(await asking({ aheadMs: aheadMs + 1_000 })()).toMatchObject({
      failure: 'STALE_MARKET',
      locks: [
        {
          code: 'CLOCK_SKEW',
          scope: 'all',
          reason: expect.stringMatching(/^this clock is 6\d{4} ms ahead/),
        },
      ],
    })
  })
  test('by less: stale, and nothing is locked', async () => {
    expect(await asking({ aheadMs: 50_000 })()).toEqual({ failure: 'STALE_MARKET', locks: [] })
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
