import { expect, test } from 'vitest'
import type { LoadedStrategy } from '../../src/bot/strategy/load.ts'
import { ballastError } from '../../src/core/errors.ts'
import { forecastPlan } from '../../src/forecast/forecastPlan.ts'
import { planFixture } from './plan/planFixture.ts'
import { slicer } from './plan/slicer.ts'

const dayMs = 86_400_000
const rest = async () => {}
const now = Date.UTC(2026, 8, 1)
const { config, amount, token, outlook } = planFixture()
const buy = token('WETH')

const count = Number(process.env.PLAN_STRATEGIES ?? 25)

/** As many as a desk has, of every pace: half of them on a calendar, half of them every few seconds. */
const many = Array.from({ length: count }, (_, index): LoadedStrategy => {
  const calendars = ['0 9 * * 1', '30 2 * * *', '0 * * * *', '* * * * *']
  const schedule =
    index % 2 === 0
      ? ({
          kind: 'cron',
          expression: calendars[(index / 2) % calendars.length] ?? '',
          timeZone: 'Europe/Berlin',
        } as const)
      : ({ kind: 'every', seconds: 5 } as const)
  return slicer(`s${index}`, { sell: amount('50 USDC'), buy, schedule })
})

test('many strategies over a quarter are called a bounded number of times', async () => {
  const until = now + 90 * dayMs
  let rests = 0
  const { decisions, forecasts } = await forecastPlan({
    config,
    strategies: many,
    outlook: outlook(now, many),
    until,
    rest: async () => {
      rests += 1
    },
  })
  // A share each, and what its last slot takes on top: two looks for funds and one search by halving.
  expect(decisions).toBeLessThanOrEqual(100_000 + 100 * count)
  expect(decisions).toBeGreaterThan(10_000)
  // What else the process does has its turn in between.
  expect(rests).toBeGreaterThan(decisions / 1_000)
  // One that had its share says so.
  const stopped = forecasts.filter(({ plannedUntil }) => plannedUntil !== undefined)
  expect(stopped.length).toBeGreaterThan(0)
  for (const { plannedUntil = 0, asks } of stopped) {
    expect(plannedUntil).toBeLessThan(until)
    expect(asks.at(-1)?.at).toBeLessThanOrEqual(plannedUntil)
  }
})

test('so are they while a lock keeps all of them from being called, and it can be interrupted', async () => {
  const { lock: _, ...open } = outlook(now, many)
  let [looks, rests] = [0, 0]
  await forecastPlan({
    config,
    strategies: many,
    outlook: {
      ...open,
      async lock() {
        looks += 1
        return ballastError('LOCKED', 'Halted.')
      },
    },
    until: now + 90 * dayMs,
    rest: async () => {
      rests += 1
    },
  })
  expect(looks).toBeGreaterThan(10_000)
  expect(looks).toBeLessThanOrEqual(100_000 + 100 * count)
  expect(rests).toBeGreaterThan(looks / 1_000)
})

test('a period that waits is asked a handful of times, and a change is found to the slot', async () => {
  const start = now + 61 * dayMs + 12_345_000
  const late = slicer('late', {
    sell: amount('50 USDC'),
    buy,
    budget: amount('100 USDC'),
    start,
    schedule: { kind: 'every', seconds: 5 },
  })
  const { forecasts, decisions } = await forecastPlan({
    config,
    strategies: [late],
    outlook: outlook(now, [late]),
    until: now + 90 * dayMs,
    rest,
  })
  expect(forecasts[0]?.asks.map(({ at, kind }) => [at, kind])).toEqual([
    [now + 5_000, 'wait'],
    [start, 'swap'],
    [start + 5_000, 'swap'],
    [start + 10_000, 'wait'],
  ])
  expect(decisions).toBeLessThan(2_000)
})

test('what begins and ends between two looks is found by its words', async () => {
  const start = now + 20 * dayMs
  const short = slicer('short', {
    sell: amount('50 USDC'),
    buy,
    start,
    end: start + 60_000,
    schedule: { kind: 'every', seconds: 30 },
  })
  const { forecasts } = await forecastPlan({
    config,
    strategies: [short],
    outlook: outlook(now, [short]),
    until: now + 90 * dayMs,
    rest,
  })
  expect(forecasts[0]?.asks.map(({ at, kind }) => [at, kind])).toEqual([
    [now + 30_000, 'wait'],
    [start, 'swap'],
    [start + 30_000, 'swap'],
    [start + 60_000, 'wait'],
  ])
})

test('what one bought is seen by another at its next slot, and not before', async () => {
  const at = now + 30 * dayMs + 9 * 3_600_000
  const funding = slicer('funding', {
    sell: amount('1 WETH'),
    buy: token('USDC'),
    budget: amount('1 WETH'),
    start: at,
    schedule: { kind: 'cron', expression: '0 9 * * *', timeZone: 'UTC' },
  })
  const poor = slicer('poor', {
    sell: amount('2000 USDC'),
    buy,
    schedule: { kind: 'every', seconds: 60 },
  })
  const { forecasts } = await forecastPlan({
    config,
    strategies: [funding, poor],
    outlook: outlook(now, [funding, poor], { balances: ['100 USDC', '1 WETH', '1 ETH'] }),
    until: now + 90 * dayMs,
    rest,
  })
  expect(forecasts[1]?.asks.map((ask) => [ask.at, ask.kind])).toEqual([
    [now + 60_000, 'wait'],
    [at, 'swap'],
    [at + 60_000, 'wait'],
  ])
})

test('a change that was looked ahead for comes in its order: what follows it sees it', async () => {
  const at = now + 30 * dayMs + 7_500_000
  const funding = slicer('funding', {
    sell: amount('1 WETH'),
    buy: token('USDC'),
    budget: amount('1 WETH'),
    start: at,
    schedule: { kind: 'every', seconds: 60 },
  })
  const hourly = slicer('hourly', {
    sell: amount('2000 USDC'),
    buy,
    schedule: { kind: 'cron', expression: '0 * * * *', timeZone: 'UTC' },
  })
  const { forecasts } = await forecastPlan({
    config,
    strategies: [funding, hourly],
    outlook: outlook(now, [funding, hourly], { balances: ['100 USDC', '1 WETH', '1 ETH'] }),
    until: now + 90 * dayMs,
    rest,
  })
  const swaps = forecasts.map(({ asks }) =>
    asks.filter(({ kind }) => kind === 'swap').map((ask) => ask.at),
  )
  expect(swaps).toEqual([[at], [now + 30 * dayMs + 3 * 3_600_000]])
})
