import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createMarketView } from '../../../src/app/dashboard/marketView.ts'
import { createReportsView } from '../../../src/app/dashboard/reportsView.ts'
import { breakersInWords } from '../../../src/app/dashboard/riskView.ts'
import type { Served } from '../../../src/app/dashboard/served.ts'
import type { Token } from '../../../src/core/token.ts'

const minute = 60_000
const token = (symbol: string, digit: string): Token => ({
  ...{ chainId: 1, address: `0x${digit.repeat(40)}`, symbol, decimals: 6 },
})
const bySymbol = new Map([token('AAA', '1'), token('BBB', '2')].map((one) => [one.symbol, one]))

/** A bot of which only this is there; what else were read would throw. */
const served = (parts: object) => parts as unknown as Served

test('readers request ten prices a minute of the service in all; what names no token is not counted', async () => {
  let [now, requests] = [0, 0]
  const { indication } = createMarketView(
    served({
      clock: { now: () => now },
      config: {
        ...{ tokens: { bySymbol }, chain: { name: 'local' }, wallet: { address: '0xaa' } },
      },
      market: {
        quotes: {
          indicative: async ({ amount_wei }: { amount_wei: string }) => {
            requests += 1
            const value = { sellerTokenAmountWei: amount_wei, buyerTokenAmountWei: '7', routes: [] }
            return { value, requestId: 'r', receivedAt: now }
          },
        },
      },
    }),
  )
  const ask = (amount: number, symbol = 'AAA') =>
    indication({ sell: `${amount} ${symbol}`, buy: 'BBB' })
  for (let amount = 1; amount <= 5; amount += 1)
    await expect(ask(amount, 'XXX')).rejects.toMatchObject({ code: 'UNKNOWN_TOKEN' })
  for (let amount = 1; amount <= 10; amount += 1) expect((await ask(amount)).buy.wei).toBe('7')
  // The same again is answered from a moment ago.
  await ask(10)
  await expect(ask(11)).rejects.toMatchObject({ code: 'RATE_LIMITED' })
  expect(requests).toBe(10)
  now += minute
  expect((await ask(11)).sell.text).toBe('11')
  expect(requests).toBe(11)
  // After a clock that was set back, the requests of its future do not count against the present.
  for (let amount = 12; amount <= 20; amount += 1) await ask(amount)
  await expect(ask(21)).rejects.toMatchObject({ code: 'RATE_LIMITED' })
  now -= 2 * minute
  expect((await ask(21)).sell.text).toBe('21')
})

test('documents are of months that there are', async () => {
  const now = Date.UTC(2026, 10, 24)
  const { months, monthFile } = createReportsView(
    served({
      ...{ mode: 'live', clock: { now: () => now } },
      config: {
        ...{ dashboard: { timeZone: 'UTC' }, chain: { chainId: 1 }, wallet: { address: '0xaa' } },
      },
      journal: {
        valuations: { page: async () => [{ at: Date.UTC(2026, 8, 30, 23) }] },
        swaps: { page: async () => [{ createdAt: Date.UTC(2026, 9, 2) }] },
      },
    }),
  )
  expect((await months()).months).toEqual(['2026-11', '2026-10', '2026-09'])
  for (const month of ['2026-08', '2026-12', '2199-01'])
    await expect(monthFile(month, 'statement')).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

test.each([
  ['before the first valuation', [{ at: Date.UTC(2026, 9, 2) }]],
  ['without any', []],
])('a month with a swap is one of them: %s', async (_, valuations) => {
  const { months, monthFile } = createReportsView(
    served({
      ...{ mode: 'live', clock: { now: () => Date.UTC(2026, 10, 24) } },
      config: {
        ...{ dashboard: { timeZone: 'UTC' }, chain: { chainId: 1 }, wallet: { address: '0xaa' } },
      },
      journal: {
        valuations: { page: async () => valuations },
        // The first of as many as are asked for.
        swaps: {
          page: async ({ limit }: { limit: number }) =>
            [{ createdAt: Date.UTC(2026, 7, 31, 23) }, { createdAt: 0 }].slice(0, limit),
        },
      },
    }),
  )
  expect((await months()).months).toEqual(['2026-11', '2026-10', '2026-09', '2026-08'])
  await expect(monthFile('2026-08', 'statement')).rejects.not.toMatchObject({ code: 'NOT_FOUND' })
  await expect(monthFile('2026-07', 'statement')).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

test('months before those that are listed are reached by their address', async () => {
  const { months, monthFile } = createReportsView(
    served({
      ...{ mode: 'live', clock: { now: () => Date.UTC(2026, 10, 24) } },
      config: {
        ...{ dashboard: { timeZone: 'UTC' }, chain: { chainId: 1 }, wallet: { address: '0xaa' } },
      },
      journal: {
        valuations: { page: async () => [{ at: Date.UTC(2020, 0, 1) }] },
        swaps: { page: async () => [] },
      },
    }),
  )
  expect((await months()).months).toHaveLength(36)
  await expect(monthFile('2020-01', 'statement')).rejects.not.toMatchObject({ code: 'NOT_FOUND' })
  for (const month of ['2019-12', '2026-13', '2026-1'])
    await expect(monthFile(month, 'statement')).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

test('the risk page names every breaker that there is', async () => {
  const spans = { lockMs: 1, overMs: 1, withinMs: 1, aheadMs: 1, serviceMs: 1 }
  const limits = { ...spans, count: 3, bps: 100 }
  const breakers = await breakersInWords(
    served({
      strategies: () => [{ name: 'a' }],
      config: {
        chain: { chainId: 1 },
        wallet: { address: '0xAA' },
        tokens: { native: bySymbol.get('AAA') },
      },
      // Those of now, and not of the start.
      rules: () => ({
        breakers: {
          ...{ refusals: limits, failures: limits, priceJump: limits, priceDrift: limits },
          ...{ witness: limits, clock: limits, gasPerDayMax: 5n },
        },
      }),
      journal: {
        breakers: {
          ends: async () => ({
            strategyEnds: [
              { state: 'REJECTED', code: 'VERIFY_X', at: 3 },
              { state: 'REJECTED', code: 'SIMULATE_X', at: 2 },
              { state: 'REJECTED', code: 'POLICY_X', at: 1 },
              { state: 'REJECTED', code: 'VERIFY_X', at: 0 },
            ],
            walletEnds: [
              { state: 'REVERTED', code: null, at: 2 },
              { state: 'SETTLED', code: null, at: 1 },
              { state: 'REVERTED', code: null, at: 0 },
            ],
          }),
        },
      },
    }),
  )
  const written = globSync('src/bot/lock/*.ts')
    .flatMap((path) => [...readFileSync(path, 'utf8').matchAll(/code: '([A-Z_]+)'/g)])
    .map(([, code]) => code)
  expect(breakers.map(({ code }) => code).sort()).toEqual([...new Set(written)].sort())
  const stands = Object.fromEntries(breakers.map((one) => [one.code, one.stands]))
  // In a row: what came before another end is not counted.
  expect([stands.REFUSALS, stands.FAILURES]).toEqual(['2 of 3', '1 of 3'])
})
