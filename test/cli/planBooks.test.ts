import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { keepPlans } from '../../src/app/dashboard/keepPlans.ts'
import { openJournal } from '../../src/bot/journal/openJournal.ts'
import type { Cron } from '../../src/bot/strategy/index.ts'
import { ballastError } from '../../src/core/errors.ts'
import { usdOf } from '../../src/core/token.ts'
import { createWindow } from '../../src/engine/createWindow.ts'
import { openJournalOutlook } from '../../src/forecast/openJournalOutlook.ts'
import { samplePlan } from '../bot/journal/sampleSwap.ts'
import { nothingSpent } from '../support/planned.ts'
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

/** Nine in the morning of the day of the plan, every day. */
const nine = Date.UTC(2026, 11, 1, 9)
const daily: Cron = { kind: 'cron', expression: '0 9 * * *', timeZone: 'UTC' }

function dailyFixture(schedule: Cron) {
  const { config, amount, token, outlook } = planFixture(
    [['database: sqlite', 'treasury: { perDay: 1200 USD }\ndatabase: sqlite']],
    ['daily'],
  )
  const one = slicer('daily', { sell: amount('500 USDC'), buy: token('WETH'), schedule })
  return { config, outlook, one }
}

const clockAt = (at: number) => ({ now: () => at, sleep: async () => {} })
const lastSlot = { strategy: 'daily', slots: 1, state: 'done', reason: '' } as const

type Stopped = {
  readonly schedule?: Cron
  /** The last slot that is over, in days before that of today; none of a bot that never ran. */
  readonly days?: number
  readonly calendar?: string
  /** Whether the swap of today's slot is under way. */
  readonly begun?: boolean
}

/** The slots of a plan so many minutes after today's, and the instants that the limits were read for, as ISO texts. */
async function plannedAfter(
  minutes: number,
  { schedule = daily, days, calendar = '0 9 * * * UTC', begun = false }: Stopped,
) {
  const { config, outlook, one } = dailyFixture(schedule)
  const at = nine + minutes * 60_000
  const journal = await openJournal({ ...config, clock: clockAt(at) })
  const slot = nine - (days ?? 0) * dayMs
  if (days !== undefined) await journal.slots.close({ ...lastSlot, calendar, slot, upto: slot })
  const attempt = { slot: nine, attempt: 0 }
  if (begun) await journal.swaps.reserve(samplePlan({ strategy: 'daily' }), () => {}, attempt)
  await journal.shut()
  const books = await openJournalOutlook(config, { strategies: [one], now: at, unknown: [] })
  const instants = new Set<number>()
  const { plan, text } = await printed({
    ...{ config, strategies: [one], until: nine + 1.5 * dayMs },
    outlook: outlook(at, [one], {
      goesOnAfter: books.goesOnAfter,
      async lock(_, instant) {
        instants.add(instant)
        return undefined
      },
      async spent(_, instant) {
        instants.add(instant)
        return nothingSpent
      },
      async ofAllWallets(instant) {
        instants.add(instant)
        return { hour: 0n, day: 0n }
      },
    }),
  })
  await books.close()
  const asks = plan.strategies.flatMap((strategy) => strategy.asks)
  return {
    slots: asks.map((ask) => ask.at.slice(0, 16)),
    instants: [...instants].map((instant) => new Date(instant).toISOString().slice(0, 16)),
    kinds: asks.map(({ kind }) => kind),
    text,
  }
}

const [today, tomorrow] = ['2026-12-01T09:00', '2026-12-02T09:00']

test.each([
  ['due later by its jitter', 1],
  ['due now', 20],
  ['postponed, and not late', 59],
])('a slot that is %s comes first, and is decided now', async (_, minutes) => {
  const plan = await plannedAfter(minutes, { schedule: { ...daily, jitter: 1_800 }, days: 1 })
  expect(plan.slots).toEqual([today, tomorrow])
  expect(plan.kinds).toEqual(['swap', 'swap'])
  expect(plan.instants).toEqual([`2026-12-01T09:${String(minutes).padStart(2, '0')}`, tomorrow])
  expect(plan.text).toContain('1 slot is still open, and comes first')
})

test.each<[string, number, Stopped]>([
  ['is late', 61, { days: 1 }],
  ['is over', 1, { days: 0 }],
  ['has a swap under way', 1, { days: 1, begun: true }],
  ['came before the bot ever ran', 1, {}],
  ['is of another calendar than the file has now', 1, { days: 1, calendar: '0 8 * * * UTC' }],
])('a slot that %s is not planned', async (_, minutes, stopped) => {
  const plan = await plannedAfter(minutes, stopped)
  expect(plan.slots).toEqual([tomorrow])
  expect(plan.text).not.toContain('still open')
})

test('slots that a start makes up for come first, the latest of them, and none of a start without', async () => {
  const schedule = { ...daily, makeUp: 2 }
  const plan = await plannedAfter(120, { schedule, days: 5 })
  expect(plan.slots).toEqual(['2026-11-30T09:00', today, tomorrow])
  expect(plan.instants).toEqual(['2026-12-01T11:00', tomorrow])
  expect(plan.text).toContain('2 slots are still open, and come first')
  expect((await plannedAfter(120, { days: 5 })).slots).toEqual([tomorrow])
})

test('of two open slots the higher priority is decided first, and of one priority the earlier', async () => {
  const { config, amount, token, outlook } = planFixture([], ['early', 'late'])
  const now = nine + 45 * 60_000
  const plannedWith = async (priority: number) => {
    const one = (name: string, minutes: number) =>
      slicer(name, {
        ...{ sell: amount('500 USDC'), buy: token('WETH') },
        schedule: { ...daily, expression: `${minutes} 9 * * *` },
      })
    const strategies = [{ ...one('late', 30), priority }, one('early', 0)]
    const { plan } = await printed({
      ...{ config, strategies, until: now + 60_000 },
      outlook: outlook(now, strategies, {
        balances: ['500 USDC', '10 ETH'],
        goesOnAfter: () => nine - 1,
      }),
    })
    return Object.fromEntries(plan.strategies.map(({ name, asks }) => [name, asks[0]?.kind]))
  }
  // There is money for one.
  expect(await plannedWith(1)).toEqual({ early: 'wait', late: 'swap' })
  expect(await plannedWith(0)).toEqual({ early: 'swap', late: 'wait' })
})

test('while a slot is open, a page tells what the one to come does as well', async () => {
  const { config, one } = dailyFixture(daily)
  const clock = clockAt(nine + 60_000)
  const journal = await openJournal({ ...config, clock })
  const slot = nine - dayMs
  await journal.slots.close({ ...lastSlot, calendar: null, slot, upto: slot })
  await journal.shut()
  const market = {
    get rpc(): never {
      throw ballastError('UNREACHABLE', 'The node is away.')
    },
  } as never
  const plans = keepPlans({ config, rules: () => config, market, strategies: () => [one], clock })
  let plan = await plans.coming()
  for (; plan === null; plan = await plans.coming()) await new Promise(setImmediate)
  const asks = plan.strategies.flatMap((strategy) => strategy.asks)
  expect(asks.map(({ at }) => at.slice(0, 16))).toEqual([today, tomorrow])
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
