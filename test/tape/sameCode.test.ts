import { expect, test } from 'vitest'
import { createTaken } from '../../src/tape/createTapeCourse.ts'
import { generateTape } from '../../src/tape/synthetic/generateTape.ts'
import { viewOf } from '../../src/tape/viewOf.ts'
import {
  eth,
  headAt,
  type Look,
  replayOf,
  seller,
  start,
  tapeOf,
  usdc,
  weth,
  yamlWith,
} from './tapeOf.ts'

const minutes = (prices: readonly number[]): Look[] =>
  prices.flatMap((price, index) =>
    [0, 1].map((s): Look => ({ s: index * 60 + s, bids: [[50, price]], asks: [[50, price + 2]] })),
  )

test('what a strategy writes down, it has at its next decision: a trailing stop sees its peak', async () => {
  const prices = [3000, 3100, 3200, 3190, 3150, 3100, 3000]
  const yaml = yamlWith(
    `  - name: trail
    use: threshold
    params: { when: trailing, sell: 1 WETH, buy: USDC, trail: 2 %, tolerance: 20 bps, confirmWithin: 1 %, every: 1m }`,
  )
  const { replayed } = await replayOf(tapeOf(minutes(prices)), { yaml })
  const [first] = replayed.tallies.get('trail')?.executions ?? []
  // Two percent below 3200 are 3136; the first look below that is minute 5.
  expect(first?.decidedAt).toBe(start + 5 * 60_000)
  expect(first?.price.bought.wei).toBe(3_100_000_000n)
})

test('what one strategy reserves, another one does not see, unless it is more important', async () => {
  const pair = (priority: number) => `  - name: saver
    use: dca
    params: { sell: 1 WETH, buy: USDC, cron: "0 0 1 1 *", timeZone: UTC, tolerance: 50 bps, reserve: 199 WETH }
  - name: seller
    use: threshold
    priority: ${priority}
    params: { sell: 1 WETH, buy: USDC, price: 2950 USDC, every: 1m }`
  const run = async (priority: number) => {
    const { report } = await replayOf(tapeOf(minutes([3000, 3000, 3000, 3000, 3000])), {
      yaml: yamlWith(pair(priority)),
    })
    return report.strategies.find(({ strategy }) => strategy === 'seller')
  }
  // 200 WETH less 199 reserved, and the saver sells one at midnight as well.
  expect((await run(0))?.settled).toBe(0)
  expect((await run(10))?.settled).toBeGreaterThan(0)
})

test('one thing at a time: what falls due while a swap is under way waits for it, the more important first', async () => {
  const late = (name: string, priority: number) => `  - name: ${name}
    use: dca
    priority: ${priority}
    params: { sell: 1 WETH, buy: USDC, cron: "* * * * *", timeZone: UTC, tolerance: 50 bps }`
  const seconds = Array.from(
    { length: 150 },
    (_, s): Look => ({ s, bids: [[50, 3000]], asks: [[50, 3002]] }),
  )
  const { replayed } = await replayOf(tapeOf(seconds), {
    yaml: yamlWith([late('low', 0), late('high', 5)].join('\n')),
  })
  const times = (name: string) =>
    replayed.tallies
      .get(name)
      ?.executions.map(({ slot, decidedAt, includedAt }) =>
        [slot, decidedAt, includedAt].map((at) => (at - start) / 1_000),
      )
  // Quoted a second after, included twelve seconds after that.
  expect(times('high')).toEqual([
    [0, 0, 13],
    [60, 60, 73],
    [120, 120, 133],
  ])
  expect(times('low')).toEqual([
    [0, 13, 26],
    [60, 73, 86],
    [120, 133, 146],
  ])
})

test('what came later goes first where it is more important, as in a wallet', async () => {
  const at = (name: string, { cron, priority }: { cron: string; priority: number }) =>
    `  - name: ${name}
    use: dca
    priority: ${priority}
    params: { sell: 1 WETH, buy: USDC, cron: "${cron}", timeZone: UTC, tolerance: 50 bps, missed: skip }`
  const looks = Array.from(
    { length: 300 },
    (_, s): Look => ({ s, bids: [[50, 3000]], asks: [[50, 3002]] }),
  )
  const hourly = { cron: '0 * * * *', priority: 0 }
  const { replayed } = await replayOf(tapeOf(looks), {
    yaml: yamlWith(
      [
        at('first', hourly),
        at('waits', hourly),
        at('urgent', { cron: '1 * * * *', priority: 5 }),
      ].join('\n'),
    ),
    // A swap takes longer than a minute.
    assumptions: { latencyMs: 70_000 },
  })
  const decided = ['first', 'urgent', 'waits'].map(
    (name) => replayed.tallies.get(name)?.executions[0]?.decidedAt ?? 0,
  )
  expect(decided[0]).toBe(start)
  expect(decided[1]).toBeGreaterThan(start + 60_000)
  expect(decided[2]).toBeGreaterThan(decided[1] ?? 0)
})

test('every slot of a calendar is accounted for once, whatever the market does', async () => {
  const yaml = yamlWith(`  - name: often
    use: dca
    params: { sell: 500 USDC, buy: WETH, cron: "*/20 * * * *", timeZone: Europe/Berlin, tolerance: 50 bps, jitter: 5m }`)
  const days = 4
  const settings = { seed: 21, days, everyMs: 120_000, startedAt: Date.UTC(2026, 2, 26) }
  const { replayed, report } = await replayOf([...generateTape(settings)], {
    yaml,
    assumptions: { fail: 0.2, fadePerBps: 0.01, delayBlocksMax: 3 },
  })
  const slots = replayed.tallies.get('often')?.slots.map(({ slot }) => slot) ?? []
  expect(slots).toEqual(
    Array.from({ length: days * 72 + 1 }, (_, index) => settings.startedAt + index * 1_200_000),
  )
  const [pair] = report.strategies[0]?.pairs ?? []
  expect(pair?.benchmarks?.schedule?.slots).toBe(slots.length)
  expect(pair?.swaps).toBe(report.strategies[0]?.slots?.done)
  // Half the spread, the depth and a little luck of when it was asked.
  expect(Math.abs(pair?.benchmarks?.schedule?.executionSkillBps ?? 99)).toBeLessThan(25)
})

test('gas of the tape reaches the strategy as the cost of a swap', async () => {
  const { report } = await replayOf(
    [
      ...tapeOf(minutes([3000])).slice(0, 1),
      headAt(0, { ageS: 0, gwei: 100 }),
      ...tapeOf(minutes([3000])).slice(1),
    ],
    { yaml: yamlWith(seller) },
  )
  expect(report.strategies[0]?.pairs[0]?.gas).toEqual({
    token: 'ETH',
    wei: (100_000n * 100_000_000_000n).toString(),
    text: '0.01',
  })
})

test('the cooldown of a replay is that of a run: a pair in either direction', async () => {
  const both = `  - name: even
    use: rebalance
    params: { weights: { WETH: 50 %, USDC: 50 % }, trigger: 1 %, destination: 0 %, every: 1m, tolerance: 50 bps }`
  const run = async (cooldown: string) => {
    const prices = [3000, 3600, 3000, 3600, 3000, 3600]
    const yaml = yamlWith(both)
      .replace('cooldown: 0s', `cooldown: ${cooldown}`)
      .replace('perSwap: [5 WETH, 5 ETH, 15000 USDC]', 'perSwap: [50 WETH, 150000 USDC]')
      .replace(
        '{ perSwap: 20000 USD, perHour: 100000 USD',
        '{ perSwap: 200000 USD, perHour: 600000 USD',
      )
    const { report } = await replayOf(tapeOf(minutes(prices)), { yaml })
    return report.strategies.map(({ settled }) => settled)
  }
  expect(await run('30d')).toEqual([1])
  expect((await run('0s'))[0]).toBeGreaterThan(1)
})

test('execution is of the slots that were filled: those that a price cap passes are timing', async () => {
  const cheapOrDear = Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? 2_900 : 3_100))
  const benchmarks = async (cap: string) => {
    const yaml = yamlWith(`  - name: often
    use: dca
    params: { sell: 500 USDC, buy: WETH, cron: "* * * * *", timeZone: UTC, tolerance: 50 bps${cap} }`)
    const { report } = await replayOf(tapeOf(minutes(cheapOrDear)), { yaml })
    return report.strategies[0]?.pairs[0]?.benchmarks?.schedule
  }
  const [all, cheap] = [await benchmarks(''), await benchmarks(', price: 3000 USDC per WETH')]
  expect(cheap?.slotsWithMid).toBeLessThan((all?.slotsWithMid ?? 0) * 0.6)
  // Half of the spread of 2 in 3,000 is 3.4 bps, whatever the cap picks.
  for (const schedule of [all, cheap]) {
    expect(schedule?.executionSkillBps).toBeGreaterThan(-4)
    expect(schedule?.executionSkillBps).toBeLessThan(-3)
    expect(schedule?.fixedAmount).toBe(true)
  }
})

test('the reference of a cheap token is as exact as live: no whole unit of what it is paid in', async () => {
  const looks: Look[] = [{ s: 0, bids: [[50, 0.000001]], asks: [[50, 0.000002]] }]
  const { market, tape } = await replayOf(tapeOf(looks))
  const [look] = tape.books
  if (look?.book === undefined) throw new Error('it has a book')
  const sell = { token: weth, wei: 10n ** 18n }
  const watch = { sell, buy: usdc, wants: ['reference'] } as const
  const [reference] = viewOf(market, look.book, [watch]).references
  // A WETH is worth a unit and a half.
  expect((reference?.bought.wei ?? 0n) * 2n * sell.wei).toBe(3n * (reference?.sold.wei ?? 0n))
})

test('what was sold as the coin is missing for its wrapped form as well', () => {
  const { take, missingAt } = createTaken({ refillMs: 10_000 }, { wrapped: weth })
  const selling = (token: typeof weth, wei: bigint) => ({
    ...{ sell: { token, wei }, buy: usdc, floor: { token: usdc, wei: 1n }, reason: '' },
  })
  take(selling(weth, 4n), 0)
  expect([weth, eth].map((token) => missingAt(selling(token, 1n), 5_000))).toEqual([2n, 2n])
  expect(missingAt(selling(usdc, 1n), 5_000)).toBe(0n)
})
