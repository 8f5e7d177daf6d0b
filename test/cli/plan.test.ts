import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Cron } from '../../src/bot/strategy/index.ts'
import { type LoadedStrategy, loadStrategies } from '../../src/bot/strategy/load.ts'
import { secret } from '../../src/core/secret.ts'
import { createDashboard } from '../../src/dashboard/createDashboard.ts'
import type { PlanView } from '../../src/dashboard/planView.ts'
import { comparePlans } from '../../src/forecast/comparePlans.ts'
import { goodYaml } from '../config/goodYaml.ts'
import { createAuthority } from '../support/certificates.ts'
import { quietQueries } from '../support/noFigures.ts'
import { callCli } from './callCli.ts'
import { expectGolden } from './expectGolden.ts'
import { planFixture } from './plan/planFixture.ts'
import { printed } from './plan/printed.ts'
import { slicer } from './plan/slicer.ts'

const dayMs = 86_400_000
const { config, amount, token, outlook } = planFixture(
  [['600000 USDC]', '12000 USDC]']],
  ['berlin', 'york', 'hourly', 'weekly'],
)
const buy = token('WETH')
const cron = (expression: string, timeZone: string, jitter?: number): Cron => ({
  kind: 'cron',
  expression,
  timeZone,
  jitter,
})
const weekly = cron('0 9 * * 1', 'Europe/Berlin')

type Changes = Parameters<typeof outlook>[2]

async function planned(
  from: string,
  days: number,
  strategies: readonly LoadedStrategy[],
  changes?: Changes,
) {
  const now = Date.parse(from)
  const until = now + days * dayMs
  const plan = await printed({
    config,
    outlook: outlook(now, strategies, changes),
    strategies,
    until,
  })
  expect(plan.text.split('\n').filter((line) => line.length > 80)).toEqual([])
  return plan
}

const text = async (...asked: Parameters<typeof planned>) => (await planned(...asked)).text

describe('the clocks of the schedule', () => {
  test('go back: an hour that comes twice has a daily slot once', async () => {
    const schedule = cron('30 2 * * *', 'Europe/Berlin', 300)
    const berlin = slicer('berlin', { sell: amount('500 USDC'), buy, schedule })
    expect(await text('2026-10-23T12:00:00Z', 4, [berlin])).toBe(golden.goBack)
  })

  test('go back: every hour has its own slot, also the one that comes again', async () => {
    const schedule = cron('0 * * * *', 'Europe/Berlin')
    const hourly = slicer('hourly', { sell: amount('100 USDC'), buy, schedule })
    expect(await text('2026-10-24T22:10:00Z', 0.15, [hourly])).toBe(golden.everyHour)
  })

  test('go forward: a slot of the hour that does not exist is moved', async () => {
    const schedule = cron('30 2 * * *', 'America/New_York')
    const york = slicer('york', { sell: amount('9000 USDC'), buy, schedule })
    expect(await text('2027-03-12T12:00:00Z', 4, [york])).toBe(golden.goForward)
  })
})

describe('many slots', () => {
  const rowsOf = async (days: number, budget: string) => {
    const schedule = cron('0 * * * *', 'UTC')
    const params = { sell: amount('100 USDC'), buy, budget: amount(budget), schedule }
    const shown = await text('2026-11-22T20:30:00Z', days, [slicer('hourly', params)])
    return shown.split('\n').filter((line) => /^ {2}.*slots: /.test(line))
  }

  test('share the row of their day, with what each kind comes to', async () => {
    expect(await rowsOf(3, '4600 USDC')).toEqual([
      '  Sun 22 Nov 2026  3 slots: 3 sell; 300 USDC so far',
      '  Mon 23 Nov 2026  24 slots: 24 sell; 2700 USDC so far',
      '  Tue 24 Nov 2026  24 slots: 19 sell, 5 wait; 4600 USDC so far',
      '  Wed 25 Nov 2026  21 slots: 21 wait',
    ])
  })

  test('share the row of their month where there are more than a month of days', async () => {
    expect(await rowsOf(40, '4600 USDC')).toEqual([
      '  Nov 2026  195 slots: 46 sell, 149 wait; 4600 USDC so far',
      '  Dec 2026  744 slots: 744 wait',
      '  Jan 2027  21 slots: 21 wait',
    ])
  })
})

describe('what runs out', () => {
  test('a budget: when, and its last slice', async () => {
    const budget = amount('2350 USDC')
    const params = { sell: amount('500 USDC'), buy, budget, schedule: weekly }
    expect(await text('2026-11-22T12:00:00Z', 90, [slicer('weekly', params)])).toBe(golden.budget)
  })

  test('the wallet: how far it goes, and the first slot without', async () => {
    const params = { sell: amount('500 USDC'), buy, schedule: weekly }
    const balances = ['2350 USDC', '1 ETH']
    expect(await text('2026-12-01T12:00:00Z', 90, [slicer('weekly', params)], { balances })).toBe(
      golden.funds,
    )
  })

  test('the wallet of two: what one sells, the other has not', async () => {
    const params = { sell: amount('500 USDC'), buy, schedule: weekly }
    const both = [slicer('weekly', params), slicer('berlin', params)]
    const { plan } = await planned('2026-12-01T12:00:00Z', 30, both, {
      balances: ['1600 USDC', '1 ETH'],
    })
    const kinds = plan.strategies.map(({ asks }) => asks.map(({ kind }) => kind).join(' '))
    expect(kinds).toEqual(['swap swap wait wait', 'swap wait wait wait'])
  })

  test('gas: without the coin nothing is sold', async () => {
    const params = { sell: amount('500 USDC'), buy, schedule: weekly }
    const { plan } = await planned('2026-12-01T12:00:00Z', 30, [slicer('weekly', params)], {
      balances: ['9000 USDC', '0.0002 ETH'],
    })
    expect(plan.blocks).toMatchObject([{ rule: 'gas', local: 'Mon 21 Dec 2026 09:00 +01:00' }])
  })
})

test('dust: an amount that gas eats is refused, and the least that is not is named', async () => {
  const params = { sell: amount('29 USDC'), buy, schedule: weekly }
  const { plan } = await planned('2026-12-01T12:00:00Z', 30, [slicer('weekly', params)])
  expect(plan.blocks).toEqual([
    {
      strategy: 'weekly',
      rule: 'policy.maxGasCost',
      at: '2026-12-07T08:00:00.000Z',
      local: 'Mon 7 Dec 2026 09:00 +01:00',
      where: 'ballast.yaml:27:3',
      slots: 4,
      sentence:
        'gas would cost 104 bps of 29 USDC, more than the 100 bps allowed. Sell at least 30 USD at once.',
    },
  ])
  const enough = slicer('weekly', { ...params, sell: amount('30 USDC') })
  expect((await planned('2026-12-01T12:00:00Z', 30, [enough])).plan.blocks).toEqual([])
})

test('dust: before the first swap the most that gas may cost refuses nothing', async () => {
  const one = slicer('weekly', { sell: amount('29 USDC'), buy, schedule: weekly })
  const from = '2026-12-01T12:00:00Z'
  const views = new Map(
    [...outlook(Date.parse(from), [one]).views].map(([name, view]) => [
      name,
      { ...view, knownCost: undefined },
    ]),
  )
  const { plan } = await planned(from, 30, [one], { views })
  expect(plan.blocks).toEqual([])
})

describe('what is not known', () => {
  const away: Changes = {
    views: new Map(),
    valued: false,
    unknown: ['The chain is away.'],
  }
  const params = { sell: amount('500 USDC'), buy, schedule: weekly, budget: amount('1700 USDC') }

  test('without prices or balances, what does not depend on them is planned all the same', async () => {
    const offline = { ...away, balances: undefined }
    const unfunded = (changes: Changes, now: number, one: LoadedStrategy) => ({
      ...outlook(now, [one], changes),
      balances: undefined,
    })
    const now = Date.parse('2026-12-01T12:00:00Z')
    const one = slicer('weekly', params)
    const { text: shown } = await printed({
      config,
      outlook: unfunded(away, now, one),
      strategies: [one],
      until: now + 90 * dayMs,
    })
    expect(offline.unknown).toEqual(['The chain is away.'])
    expect(shown).toBe(golden.offline)
  })

  test('what depends on the price is said to, and no made-up figure is shown', async () => {
    const schedule = { kind: 'every', seconds: 5 } as const
    const choosy = { ...slicer('weekly', { ...params, schedule }) }
    const one: LoadedStrategy = {
      ...choosy,
      strategy: {
        ...choosy.strategy,
        decide: (context) =>
          (context.indications[0]?.bought.wei ?? 0n) > 10n ** 18n
            ? choosy.strategy.decide(context)
            : { kind: 'wait', reason: `pays ${context.indications[0]?.bought.wei}` },
      },
    }
    const { plan } = await planned('2026-12-01T12:00:00Z', 1, [one], away)
    expect(plan.strategies[0]?.asks[0]).toMatchObject({ kind: 'unknown', reason: '', swaps: [] })
  })

  test('what is bought depends on the price: no token is named', async () => {
    const schedule = { kind: 'every', seconds: 5 } as const
    const one = slicer('weekly', { ...params, schedule })
    const torn: LoadedStrategy = {
      ...one,
      strategy: {
        ...one.strategy,
        decide(context) {
          const isDear = (context.indications[0]?.bought.wei ?? 0n) > 10n ** 18n
          const own = { ...params, schedule, buy: isDear ? buy : token('ETH') }
          return one.strategy.decide({ ...context, params: own })
        },
      },
    }
    const { plan } = await planned('2026-12-01T12:00:00Z', 1, [torn], away)
    expect(plan.strategies[0]?.asks[0]).toMatchObject({ kind: 'unknown', swaps: [] })
  })
})

describe('a price that is nowhere near the market', () => {
  async function priced(price: string, from = '2026-12-01T12:00:00Z') {
    const fixture = planFixture([['price: 2950 USDC', `price: ${price}`]])
    const strategies = await loadStrategies(fixture.config)
    const now = Date.parse(from)
    const until = now + dayMs
    return printed({
      config: fixture.config,
      outlook: fixture.outlook(now, strategies),
      ...{ strategies, until },
    })
  }

  test('stands in the way, with its line', async () => {
    const { plan, text } = await priced('2900 WETH per USDC')
    expect(plan.blocks[0]).toEqual({
      strategy: 'sell-strength',
      rule: 'price',
      at: '2026-12-01T12:00:00.000Z',
      local: 'Tue 1 Dec 2026 12:00 +00:00',
      where: 'ballast.yaml:37:40',
      slots: null,
      sentence:
        'its price 0.0003448 USDC per WETH is 99.99 % below the market of 3000 USDC per WETH: it holds no swap back; the other way round it is 2900 USDC per WETH.',
    })
    expect(text).toContain('What will stand in the way')
    const two = await priced(`290 USDC, every: 10s }
  - name: other
    use: threshold
    params: { sell: 1 WETH, buy: USDC, price: 2950 USDC`)
    const blocks = two.plan.blocks.filter(({ rule }) => rule === 'price')
    expect(blocks.map(({ strategy }) => strategy)).toEqual(['sell-strength'])
    const near = (await priced('2950 USDC')).plan.blocks
    expect(near.filter(({ rule }) => rule === 'price')).toEqual([])
  })

  test('is no change where it was so before', async () => {
    const [before, after] = [
      await priced('290 USDC'),
      await priced('290 USDC', '2026-12-01T12:00:05Z'),
    ]
    const changes = comparePlans(before.plan, after.plan)
    expect(changes.filter((line) => line.includes('price'))).toEqual([])
    expect(comparePlans((await priced('2950 USDC')).plan, after.plan)).toContain(
      '+ sell-strength: price stands in the way from Tue 1 Dec 2026 12:00:05 +00:00 on',
    )
  })
})

describe('what changes', () => {
  test('slots, amounts and blocks, a line each', async () => {
    const one = (sell: string, schedule: Cron) =>
      planned('2026-12-01T12:00:00Z', 30, [slicer('weekly', { sell: amount(sell), buy, schedule })])
    const before = (await one('500 USDC', weekly)).plan
    expect(comparePlans(before, before)).toEqual([])
    expect(comparePlans(before, (await one('600 USDC', weekly)).plan)).toEqual([
      '~ weekly: 4 slots from Mon 7 Dec 2026 09:00 +01:00 to Mon 28 Dec 2026 09:00 +01:00: sells 500 USDC for WETH -> sells 600 USDC for WETH',
    ])
    expect(comparePlans(before, (await one('16000 USDC', weekly)).plan)).toEqual([
      '~ weekly: 4 slots from Mon 7 Dec 2026 09:00 +01:00 to Mon 28 Dec 2026 09:00 +01:00: sells 500 USDC for WETH -> sells 16000 USDC for WETH, blocked by per-swap and per-day',
      '+ weekly: policy.perSwap stands in the way from Mon 7 Dec 2026 09:00 +01:00 on',
      '+ weekly: policy.perDay stands in the way from Mon 7 Dec 2026 09:00 +01:00 on',
    ])
    const monthly = (await one('500 USDC', cron('0 9 7 * *', 'Europe/Berlin'))).plan
    expect(comparePlans(before, monthly)).toEqual([
      '~ weekly: 0 9 * * 1 in Europe/Berlin -> 0 9 7 * * in Europe/Berlin',
      '- weekly: 3 slots from Mon 14 Dec 2026 09:00 +01:00 to Mon 28 Dec 2026 09:00 +01:00: sells 500 USDC for WETH',
    ])
    expect(comparePlans(before, { ...before, strategies: [] })).toEqual([
      '- weekly: 0 9 * * 1 in Europe/Berlin, 4 slots',
    ])
  })
})

describe('ballast plan', () => {
  const dca = (sell: string) => `strategies:
  - name: buy-eth
    use: dca
    params: { sell: ${sell}, buy: WETH, cron: '0 9 * * 1', timeZone: Europe/Berlin, tolerance: 50 bps }
`
  /** Nobody listens at any of its addresses. */
  function alone(port = 9) {
    const { cwd } = planFixture()
    const yaml = goodYaml
      .replace('127.0.0.1:8545', '127.0.0.1:9')
      .replace('127.0.0.1:8546', '127.0.0.1:9')
      .replace('port: 8787', `port: ${port}`)
    const head = yaml.slice(0, yaml.indexOf('strategies:'))
    const tail = yaml.slice(yaml.indexOf('database:'))
    writeFileSync(join(cwd, 'ballast.yaml'), head + dca('500 USDC') + tail)
    writeFileSync(join(cwd, 'other.yaml'), head + dca('400 USDC') + tail)
    return cwd
  }

  test('works without chain, service and journal, says so, and what comes next', async () => {
    const clock = { now: () => Date.UTC(2026, 11, 1, 10), sleep: async () => {} }
    const cwd = alone()
    const ended = await callCli(['plan'], { cwd, columns: 80, clock })
    await expectGolden('plan', ended, { folder: cwd })
  })

  test('--json is one document; --next and the names are heeded', async () => {
    const cwd = alone()
    const { stdout } = await callCli(['plan', 'buy-eth', '--next', '14d', '--json'], { cwd })
    const { plan, comparison } = JSON.parse(stdout) as { plan: PlanView; comparison: object }
    expect(plan.strategies.map(({ name, slots }) => [name, slots])).toEqual([['buy-eth', 2]])
    expect(comparison).toMatchObject({ with: 'the running bot', changes: null })
    expect((await callCli(['plan', 'buy-et'], { cwd })).stderr).toContain('Did you mean buy-eth?')
    expect((await callCli(['plan', '--next', '14'], { cwd })).code).toBe(2)
  })

  test('Ctrl-C ends a long one', async () => {
    const cwd = alone()
    const file = join(cwd, 'ballast.yaml')
    writeFileSync(file, readFileSync(file, 'utf8').replace('0 9 * * 1', '* * * * *'))
    const stop = new AbortController()
    const clock = {
      now: () => Date.UTC(2026, 11, 1, 10),
      async sleep(_: number, signal?: AbortSignal) {
        stop.abort()
        signal?.throwIfAborted()
      },
    }
    expect((await callCli(['plan'], { cwd, clock, signal: stop.signal })).code).toBe(130)
  })

  test('--against another file', async () => {
    const { stdout } = await callCli(['plan', '--against', 'other.yaml'], { cwd: alone() })
    expect(stdout).toMatch(/Against other\.yaml\n {2}~ buy-eth: 1[23] slots from /)
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      'sells 400 USDC for WETH, blocked by valued -> sells 500 USDC for WETH, blocked by valued',
    )
  })

  /** The dashboard of a running bot whose plan has no strategy, and the spans that it was asked for. */
  function running(mine: PlanView, place: Partial<Parameters<typeof createDashboard>[0]>) {
    const spans: number[] = []
    const dashboard = createDashboard({
      queries: {
        ...quietQueries,
        swaps: async () => [],
        swap: async () => undefined,
        strategies: async () => [],
        locks: async () => [],
        async plan(spanMs) {
          spans.push(spanMs)
          return { ...mine, strategies: [] }
        },
      },
      health: async () => {
        throw new Error('nobody asks')
      },
      halt: async () => {
        throw new Error('nobody halts')
      },
      clock: { now: () => 0, sleep: async () => {} },
      host: '127.0.0.1',
      port: 0,
      ...place,
    })
    return { dashboard, spans }
  }

  test('against the bot that runs, with the token that it asks for', async () => {
    const cwd = alone()
    const mine = JSON.parse((await callCli(['plan', '--json'], { cwd })).stdout).plan as PlanView
    const { dashboard, spans } = running(mine, {
      tokens: { operator: secret('o'.repeat(32)), viewer: secret('v'.repeat(32)) },
    })
    const { url } = await dashboard.listen()
    try {
      const at = alone(Number(new URL(url).port))
      const refused = await callCli(['plan', '--next', '90d'], { cwd: at })
      expect(refused.stdout.replaceAll(/\s+/g, ' ')).toContain('has no plan (HTTP 401)')
      const environment = {
        DASHBOARD_TOKEN: 'o'.repeat(32),
        DASHBOARD_VIEWER_TOKEN: 'v'.repeat(32),
      }
      const { stdout } = await callCli(['plan', '--next', '90d'], { cwd: at, environment })
      expect(stdout).toContain(`Against the bot at ${url}\n  + buy-eth: 0 9 * * 1 in Europe/Berlin`)
      expect(spans).toEqual([90 * dayMs])
    } finally {
      await dashboard.close()
    }
  })

  test('against the bot that runs at a socket, and not without a certificate', async () => {
    const cwd = alone()
    const mine = JSON.parse((await callCli(['plan', '--json'], { cwd })).stdout).plan as PlanView
    const path = join(cwd, 'dashboard.sock')
    const { dashboard } = running(mine, {
      socket: { path, bind: async (listen) => void (await listen()) },
    })
    const file = join(cwd, 'ballast.yaml')
    const yaml = readFileSync(file, 'utf8')
    const withDoor = (door: string) =>
      writeFileSync(file, yaml.replace(/^dashboard: .*$/m, `dashboard: ${door}`))
    withDoor('{ socket: dashboard.sock }')
    await dashboard.listen()
    try {
      const { stdout } = await callCli(['plan'], { cwd })
      expect(stdout).toContain(`Against the bot at unix:${path}\n  + buy-eth: 0 9 * * 1`)
    } finally {
      await dashboard.close()
    }
    expect((await callCli(['plan'], { cwd })).stdout.replaceAll(/\s+/g, ' ')).toContain(
      `No bot answered at unix:${path}`,
    )
    const authority = createAuthority('Clients of plan')
    const { cert, key } = authority.issue('dashboard')
    for (const [name, text] of Object.entries({ cert, key, ca: authority.cert }))
      writeFileSync(join(cwd, `${name}.pem`), text, { mode: 0o600 })
    withDoor(
      '{ tls: { certFile: cert.pem, keyFile: key.pem, clientCaFile: ca.pem, operators: [desk] } }',
    )
    expect((await callCli(['plan'], { cwd })).stdout.replaceAll(/\s+/g, ' ')).toContain(
      'The dashboard wants a client certificate: it was not called.',
    )
  })
})

const golden = {
  goBack: `Plan from 2026-10-23 12:00Z to 2026-10-27 12:00Z, if prices stay as they are.

berlin: 30 2 * * * in Europe/Berlin, each up to 300 s later, 4 slots
  slot                     sells     for about     sold so far  impact
  Sat 24 Oct 02:30 +02:00  500 USDC  0.1666… WETH  500 USDC     0.00 bps
  Sun 25 Oct 02:30 +02:00  500 USDC  0.1666… WETH  1000 USDC    0.00 bps
      DST: clocks go back; 02:30 comes twice, the slot only once.
  Mon 26 Oct 02:30 +01:00  500 USDC  0.1666… WETH  1500 USDC    0.00 bps
      DST: clocks go back between this slot and the one before.
  Tue 27 Oct 02:30 +01:00  500 USDC  0.1666… WETH  2000 USDC    0.00 bps

By month
  month    strategy  swaps  sold       received      impact  gas
  2026-10  berlin    4      2000 USDC  0.6666… WETH  0 WETH  0.0004 ETH`,
  everyHour: `Plan from 2026-10-24 22:10Z to 2026-10-25 01:46Z, if prices stay as they are.

hourly: 0 * * * * in Europe/Berlin, 3 slots
  slot                     sells     for about      sold so far  impact
  Sun 25 Oct 01:00 +02:00  100 USDC  0.03333… WETH  100 USDC     0.00 bps
  Sun 25 Oct 02:00 +02:00  100 USDC  0.03333… WETH  200 USDC     0.00 bps
  Sun 25 Oct 02:00 +01:00  100 USDC  0.03333… WETH  300 USDC     0.00 bps
      DST: clocks go back; 02:00 comes again, and so does the slot.

By month
  month    strategy  swaps  sold      received       impact  gas
  2026-10  hourly    3      300 USDC  0.09999… WETH  0 WETH  0.0003 ETH`,
  goForward: `Plan from 2027-03-12 12:00Z to 2027-03-16 12:00Z, if prices stay as they are.

york: 30 2 * * * in America/New_York, 4 slots
  slot                     sells      for about      sold so far      impact
  Sat 13 Mar 02:30 -05:00  9000 USDC  2.99009… WETH  9000 USDC        33.00 bps
  Sun 14 Mar 03:30 -04:00  9000 USDC  2.99009… WETH  blocked per-day
      DST: clocks go forward; 02:30 does not exist, the slot is moved here.
  Mon 15 Mar 02:30 -04:00  9000 USDC  2.99009… WETH  18000 USDC       33.00 bps
  Tue 16 Mar 02:30 -04:00  9000 USDC  2.99009… WETH  blocked per-day

By month
  month    strategy  swaps  sold        received       impact         gas
  2027-03  york      2      18000 USDC  5.98019… WETH  0.01980… WETH  0.0002 ETH

What will stand in the way
  Sun 14 Mar 2027 03:30 -04:00 york: policy.perDay (ballast.yaml:24:3): would
  refuse 9000 USDC for WETH: expected at most 12000 USDC in 24 hours, got 9000
  USDC on top of 9000 USDC; 2 slots.`,
  budget: `Plan from 2026-11-22 12:00Z to 2027-02-20 12:00Z, if prices stay as they are.

weekly: 0 9 * * 1 in Europe/Berlin, 13 slots
  budget: 2350 USDC, 0 USDC spent before, 2350 USDC planned; used up on Mon 21
  Dec 2026 09:00 +01:00, its last slice 350 USDC.
  slot                     sells     for about     sold so far  impact
  Mon 23 Nov 09:00 +01:00  500 USDC  0.1666… WETH  500 USDC     0.00 bps
  Mon 30 Nov 09:00 +01:00  500 USDC  0.1666… WETH  1000 USDC    0.00 bps
  Mon 7 Dec 09:00 +01:00   500 USDC  0.1666… WETH  1500 USDC    0.00 bps
  Mon 14 Dec 09:00 +01:00  500 USDC  0.1666… WETH  2000 USDC    0.00 bps
  Mon 21 Dec 09:00 +01:00  350 USDC  0.1166… WETH  2350 USDC    0.00 bps
  Mon 28 Dec 09:00 +01:00  waits
      The budget is used up.
      So do the next 7, until Mon 15 Feb 2027 09:00 +01:00.

By month
  month    strategy  swaps  sold       received      impact  gas
  2026-11  weekly    2      1000 USDC  0.3333… WETH  0 WETH  0.0002 ETH
  2026-12  weekly    3      1350 USDC  0.4499… WETH  0 WETH  0.0003 ETH`,
  funds: `Plan from 2026-12-01 12:00Z to 2027-03-01 12:00Z, if prices stay as they are.

weekly: 0 9 * * 1 in Europe/Berlin, 13 slots
  slot                     sells     for about     sold so far  impact
  Mon 7 Dec 09:00 +01:00   500 USDC  0.1666… WETH  500 USDC     0.00 bps
  Mon 14 Dec 09:00 +01:00  500 USDC  0.1666… WETH  1000 USDC    0.00 bps
  Mon 21 Dec 09:00 +01:00  500 USDC  0.1666… WETH  1500 USDC    0.00 bps
  Mon 28 Dec 09:00 +01:00  500 USDC  0.1666… WETH  2000 USDC    0.00 bps
  Mon 4 Jan 09:00 +01:00   waits
      Holds 350 USDC, less than 500 USDC.
      So do the next 8, until Mon 1 Mar 2027 09:00 +01:00.

By month
  month    strategy  swaps  sold       received      impact  gas
  2026-12  weekly    4      2000 USDC  0.6666… WETH  0 WETH  0.0004 ETH

What will stand in the way
  Mon 4 Jan 2027 09:00 +01:00 weekly: funds (ballast.yaml:46:5): holds 2350
  USDC: enough for 4 of 13 slots, the 5th would wait; there would be 350 USDC
  for it, less than the 500 USDC to sell; 9 slots.`,
  offline: `Plan from 2026-12-01 12:00Z to 2027-03-01 12:00Z, if prices stay as they are.

weekly: 0 9 * * 1 in Europe/Berlin, 13 slots
  budget: 1700 USDC, 0 USDC spent before, 1700 USDC planned; used up on Mon 28
  Dec 2026 09:00 +01:00, its last slice 200 USDC.
  slot                     sells     for about  sold so far  impact
  Mon 7 Dec 09:00 +01:00   500 USDC  WETH       500 USDC
  Mon 14 Dec 09:00 +01:00  500 USDC  WETH       1000 USDC
  Mon 21 Dec 09:00 +01:00  500 USDC  WETH       1500 USDC
  Mon 28 Dec 09:00 +01:00  200 USDC  WETH       1700 USDC
  Mon 4 Jan 09:00 +01:00   waits
      The budget is used up.
      So do the next 8, until Mon 1 Mar 2027 09:00 +01:00.

By month
  month    strategy  swaps  sold       received  impact  gas
  2026-12  weekly    4      1700 USDC  ?         ?       ?

Not known
  The chain is away.`,
}
