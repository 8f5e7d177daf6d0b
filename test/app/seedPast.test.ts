import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { seedPast } from '../../src/app/seedPast.ts'
import { openJournal } from '../../src/bot/journal/openJournal.ts'
import { dayMs } from '../../src/core/spans.ts'
import { nativeAddress, type Token } from '../../src/core/token.ts'
import { demoWorld } from '../../src/sandbox/demoMarket.ts'

const wallet = '0x00000000000000000000000000000000000000aa' as const
const now = 100 * dayMs
const clock = { now: () => now, sleep: async () => {} }

function place(chainId = 31_337) {
  const token = (symbol: string, decimals: number, digit: string) =>
    ({ chainId, address: `0x${digit.repeat(40)}`, symbol, decimals }) as Token
  const listed = [
    { chainId, address: nativeAddress, symbol: 'ETH', decimals: 18 },
    token('WETH', 18, '1'),
    token('USDC', 6, '2'),
    token('WBTC', 8, '3'),
  ] as const
  const folder = mkdtempSync(join(tmpdir(), 'ballast-past-'))
  const journal = {
    database: { dialect: 'sqlite', path: join(folder, 'ballast.db') },
    haltFile: join(folder, 'HALT'),
  } as const
  const config = {
    ...{ chain: { chainId }, wallet: { address: wallet }, ...journal },
    tokens: { bySymbol: new Map(listed.map((one) => [one.symbol, one])) },
    policy: { notional: { perSwap: { token: token('USD', 8, '4'), wei: 1n } } },
  } as unknown as Parameters<typeof seedPast>[0]['config']
  const read = async () => {
    const opened = await openJournal({ ...journal, clock })
    const past = await opened.valuations.since({ chainId, wallet, since: 0, limit: 1_000 })
    const { count } = await opened.log.verify(undefined)
    await opened.shut()
    return { past, logged: count }
  }
  return { config, read }
}

test('thirty days before a new market are valuations that are marked, and nothing in the log', async () => {
  const { config, read } = place()
  const world = demoWorld()
  await seedPast({ world, config, clock })
  const { past, logged } = await read()
  expect(logged).toBe(0)
  expect(past.every(({ seeded }) => seeded)).toBe(true)
  expect(now - (past[0]?.at ?? now)).toBe(30 * dayMs)
  expect(past.every(({ at }) => at < now)).toBe(true)

  // 100 ETH, 200 WETH, 477,000 USDC and 4.7 WBTC, near the prices that the market starts with and no two the same.
  const start = 300 * 3_000 + 477_000 + 4.7 * 90_000
  const totals = past.map(({ total }) => Number(total?.wei ?? 0n) / 1e8)
  for (const total of totals) expect(Math.abs(total / start - 1)).toBeLessThan(0.1)
  expect(Math.abs((totals.at(-1) ?? 0) / start - 1)).toBeLessThan(0.03)
  expect(new Set(totals).size).toBe(totals.length)
  const usdc = past[0]?.holdings.find(({ held }) => held.token.symbol === 'USDC')
  expect(usdc?.worth?.wei).toBe(477_000n * 10n ** 8n)
})

test('a second time changes nothing', async () => {
  const { config, read } = place()
  await seedPast({ world: demoWorld(), config, clock })
  const { past } = await read()
  await seedPast({ world: demoWorld(), config, clock: { ...clock, now: () => now + dayMs } })
  expect((await read()).past).toEqual(past)
})

test('a wallet on any other chain gets no past', async () => {
  const { config, read } = place(1)
  await expect(seedPast({ world: demoWorld(), config, clock })).rejects.toThrow('made-up money')
  expect((await read()).past).toEqual([])
})
