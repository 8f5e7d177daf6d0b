import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openJournal } from '../../src/bot/journal/openJournal.ts'
import { usdOf } from '../../src/core/token.ts'
import { createWindow } from '../../src/engine/createWindow.ts'
import { openJournalOutlook } from '../../src/forecast/openJournalOutlook.ts'
import { samplePlan } from '../bot/journal/sampleSwap.ts'
import { planFixture } from './plan/planFixture.ts'
import { printed } from './plan/printed.ts'
import { slicer } from './plan/slicer.ts'

const dayMs = 86_400_000
const now = Date.UTC(2026, 11, 1, 12)
const clock = { now: () => now, sleep: async () => {} }

async function plannedWith(lock: { kind: 'pause' | 'halt'; expiresAt: number | undefined }) {
  const { config, amount, token, outlook } = planFixture([], ['weekly'])
  const one = slicer('weekly', {
    sell: amount('500 USDC'),
    buy: token('WETH'),
    schedule: { kind: 'cron', expression: '0 9 * * 1', timeZone: 'Europe/Berlin' },
  })
  const journal = await openJournal({ ...config, clock })
  await journal.locks.open({ ...lock, scope: 'strategy weekly', code: 'X', reason: 'holidays' })
  await journal.shut()
  const unknown: string[] = []
  const books = await openJournalOutlook(config, { strategies: [one], now, unknown })
  try {
    const { plan } = await printed({
      config,
      outlook: outlook(now, [one], {
        lock: books.lock,
        spent: books.spent,
        standing: books.standing,
      }),
      strategies: [one],
      until: now + 28 * dayMs,
    })
    expect(unknown).toEqual([])
    return plan
  } finally {
    await books.close()
  }
}

test('a pause that expires stops the slots until then, and none after', async () => {
  const plan = await plannedWith({ kind: 'pause', expiresAt: now + 9 * dayMs })
  const [strategy] = plan.strategies
  expect(strategy?.asks.map(({ kind }) => kind)).toEqual(['locked', 'swap', 'swap', 'swap'])
  expect(plan.blocks).toMatchObject([
    {
      rule: 'lock',
      local: 'Mon 7 Dec 2026 09:00 +01:00',
      slots: 1,
      sentence:
        'Locked (pause, strategy weekly): holidays: nothing would begin before 2026-12-10 12:00Z.',
    },
  ])
})

test('a halt stops every slot, and only a person ends it', async () => {
  const plan = await plannedWith({ kind: 'halt', expiresAt: undefined })
  expect(plan.strategies[0]?.asks.map(({ kind }) => kind)).toEqual(Array(4).fill('locked'))
  expect(plan.blocks).toMatchObject([
    {
      slots: 4,
      sentence:
        "Locked (halt, strategy weekly): holidays: nothing would begin until 'ballast resume'.",
    },
  ])
})

test('what is under way counts as done: nothing is planned a second time', async () => {
  const { config, amount, token } = planFixture([], ['weekly'])
  const [sell, floor] = [amount('500 USDC'), amount('0.1 WETH')]
  const one = slicer('weekly', {
    ...{ sell, buy: token('WETH') },
    schedule: { kind: 'cron', expression: '0 9 * * 1', timeZone: 'Europe/Berlin' },
  })
  const journal = await openJournal({ ...config, clock })
  const intent = { sell, buy: token('WETH'), floor, reason: 'a test' }
  for (const strategy of ['weekly', 'weekly'])
    await journal.swaps.reserve(samplePlan({ strategy, intent }), () => {})
  const recipient = config.wallet.address
  await journal.swaps.reserve(samplePlan({ strategy: 'other', intent, recipient }), () => {})
  await journal.shut()
  const books = await openJournalOutlook(config, { strategies: [one], now, unknown: [] })
  const { inflight, totals, lastFill, fills } = books.standing('weekly')
  await books.close()
  expect(inflight).toEqual([])
  const end = { at: now, price: { sold: sell, bought: floor } }
  expect([lastFill, fills]).toEqual([end, [end, end]])
  // The third alone goes to the wallet of the file.
  expect(books.arriving).toEqual([floor])
  expect(totals).toEqual([
    {
      ...{ sold: { ...sell, wei: 2n * sell.wei }, bought: { ...floor, wei: 2n * floor.wei } },
      swaps: 2,
    },
  ])
})

test.each([
  ['its own slots', 100n, ['swap', 'swap', 'blocked']],
  ['other swaps, too', 500n, ['swap', 'blocked', 'blocked']],
  ['other swaps alone', 1_000n, ['blocked', 'blocked', 'blocked']],
])('the limit over all wallets counts %s', async (_, dollars, kinds) => {
  const { config, amount, token, outlook } = planFixture(
    [['database: sqlite', 'treasury: { perDay: 1200 USD }\ndatabase: sqlite']],
    ['often'],
  )
  const one = slicer('often', {
    ...{ sell: amount('500 USDC'), buy: token('WETH') },
    schedule: { kind: 'cron', expression: '0 13,17,21 * * *', timeZone: 'UTC' },
  })
  const usd = usdOf(config.chain.chainId)
  const notional = { token: usd, wei: dollars * 10n ** BigInt(usd.decimals) }
  const journal = await openJournal({ ...config, treasury: undefined, clock })
  await journal.swaps.reserve(samplePlan({ strategy: 'other', notional }), () => {})
  await journal.shut()
  const books = await openJournalOutlook(config, { strategies: [one], now, unknown: [] })
  const { ofAllWallets } = books
  const { plan } = await printed({
    ...{ config, strategies: [one], until: now + 12 * 3_600_000 },
    outlook: outlook(now, [one], { ofAllWallets }),
  })
  await books.close()
  expect(
    plan.strategies[0]?.asks.map(({ swaps: [one] }) =>
      one?.blockedBy.includes('treasury') ? 'blocked' : 'swap',
    ),
  ).toEqual(kinds)
  const [block] = plan.blocks
  expect(block).toMatchObject({ rule: 'treasury', where: 'ballast.yaml:41:1' })
  expect(block?.sentence).toMatch(
    /^All wallets together may swap 1200 USD in 24 hours: \d+ USD of it are used, and this is 500 USD\.$/,
  )
})

test('a halt by a file holds where no journal is yet', async () => {
  const { config } = planFixture()
  const books = await openJournalOutlook(config, { strategies: [], now, unknown: [] })
  expect(await books.lock({ strategy: 'weekly' }, now)).toBeUndefined()
  writeFileSync(config.haltFile, '')
  expect((await books.lock({ strategy: 'weekly' }, now))?.code).toBe('LOCKED')
})

test('a journal that cannot be read is said, and the plan starts from nothing', async () => {
  const { config } = planFixture()
  if (config.database.dialect !== 'sqlite') throw new Error('the fixture is a file')
  writeFileSync(config.database.path, 'no database at all, but long enough to be looked at as one')
  const unknown: string[] = []
  const books = await openJournalOutlook(config, { strategies: [], now, unknown })
  expect(unknown).toHaveLength(1)
  expect(unknown[0]).toMatch(/^What was done so far is not known/)
  expect(books.standing('weekly').totals).toEqual([])
})

test('a window ends with the instant it is asked from', () => {
  const window = createWindow()
  window.add(10, 1n, 10n)
  window.add(20, 2n, 20n)
  window.add(20, 4n, 40n)
  expect([9, 10, 19, 20].map(window.after)).toEqual([
    { amountIn: 7n, notional: 70n },
    { amountIn: 6n, notional: 60n },
    { amountIn: 6n, notional: 60n },
    { amountIn: 0n, notional: 0n },
  ])
})
