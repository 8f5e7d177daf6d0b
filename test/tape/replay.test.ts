import { expect, test } from 'vitest'
import type { BallastError } from '../../src/core/errors.ts'
import { createLedger } from '../../src/engine/ledger.ts'
import { turn } from '../../src/engine/turn.ts'
import { createChance } from '../../src/tape/assumptions.ts'
import { createTapeWorld } from '../../src/tape/createTapeWorld.ts'
import type { TapeEntry } from '../../src/tape/readTape.ts'
import { generateTape } from '../../src/tape/synthetic/generateTape.ts'
import { emptyTally } from '../../src/tape/tally.ts'
import {
  eth,
  headAt,
  type Look,
  lineOf,
  replayOf,
  seller,
  start,
  tapeOf,
  weth,
  yamlWith,
} from './tapeOf.ts'

const flat = (price: number, seconds: readonly number[]): Look[] =>
  seconds.map((s) => ({ s, bids: [[10, price]], asks: [[10, price + 2]] }))

const after = async (...given: Parameters<typeof replayOf>) => {
  const { report } = await replayOf(...given)
  return Object.fromEntries(report.wallet.map((one) => [one.token, one.after.wei]))
}

test('ten lines, worked out by hand, to the wei', async () => {
  const looks: Look[] = [
    { s: 0, bids: [[10, 3000]], asks: [[10, 3002]] },
    // Slot 0 s is decided on the line above and filled here: 0.4 at 3010.5 and 0.6 at 3000.25.
    { s: 10, bids: [[0.4, 3010.5], [5, 3000.25]], asks: [[10, 3012]] }, // biome-ignore format: a book reads as one line
    { s: 20, bids: [[10, 1]], asks: [[10, 3]] },
    // Included at 22 s, so the next slot is 30 s; this line pays less than 2950.
    { s: 30, bids: [[10, 2949.99]], asks: [[10, 2952]] },
    // Slot 40 s is decided here …
    { s: 40, bids: [[10, 2960]], asks: [[10, 2962]] },
    // … and filled here, over three levels: 1/3 and 1/3 at odd prices, the rest at the third.
    { s: 50, bids: [[0.333333, 2999.123457], [0.333333, 2998.7], [7, 2960.1]], asks: [[1, 3001]] }, // biome-ignore format: a book reads as one line
    // Included at 62 s: the slots of 50 and 60 s went by.
    { s: 60, bids: [[10, 9999]], asks: [[10, 10001]] },
    // Slot 70 s: beyond the depth, there is no price.
    { s: 70, bids: [[0.999, 3000]], asks: [[10, 3002]] },
    // Slot 80 s is decided here; the next book does not hold the floor of 2950 less the slippage of 10 bps.
    { s: 80, bids: [[10, 3000]], asks: [[10, 3002]] },
    { s: 90, bids: [[10, 2952]], asks: [[10, 2954]] },
    // The period pauses for two seconds, as it does live: slot 90 s is decided here.
    { s: 92, bids: [[10, 3000]], asks: [[10, 3002]] },
  ]
  const { report, replayed } = await replayOf(tapeOf(looks))
  // 0.4 * 3010.5 + 0.6 * 3000.25
  const first = 3_004_350_000n
  // 0.333333 * 2999.123457 + 0.333333 * 2998.7 + 0.333334 * 2960.1 = 2985.974459…, cut after six decimals
  const second =
    (333_333n * 2_999_123_457n + 333_333n * 2_998_700_000n + 333_334n * 2_960_100_000n) / 1_000_000n
  expect(replayed.tallies.get('seller')?.executions.map(({ price }) => price.bought.wei)).toEqual([
    first,
    second,
  ])
  expect(second).toBe(2_985_974_459n)
  const gas = 2n * 100_000n * 10_000_000_000n
  expect(report.wallet.map(({ token, after }) => [token, after.wei])).toEqual([
    ['ETH', (200n * 10n ** 18n - gas).toString()],
    ['WETH', (198n * 10n ** 18n).toString()],
    ['USDC', (600_000_000_000n + first + second).toString()],
  ])
  expect(report.strategies[0]).toMatchObject({
    asked: 6,
    decided: 6,
    wanted: 4,
    settled: 2,
    reverted: 0,
    waits: [{ times: 1 }, { times: 1 }],
    unsent: [
      { reason: 'expired unsent: the quote was below the floor', times: 1 },
      // Of slot 90 s: the tape ends.
      { reason: 'no book to quote from before the quote had expired', times: 1 },
    ],
  })
})

test('no look ahead: what pays only for who knows the next line pays nothing here', async () => {
  // Every line that would be sold at is followed by one that is not, and the other way round; each comes between two
  // slots, so that who decides or fills by the wrong one of its neighbours is a rich man.
  const looks = Array.from({ length: 40 }, (_, index): Look => {
    const price = index % 2 === 0 ? 3100 : 2900
    return { s: index * 10 + 3, bids: [[10, price]], asks: [[10, price + 2]] }
  })
  const { report } = await replayOf(tapeOf(looks))
  expect(report.strategies[0]).toMatchObject({ settled: 0, reverted: 0, pairs: [] })
  expect(report.strategies[0]?.wanted).toBeGreaterThan(5)
})

test('the latency decides which line quotes', async () => {
  const looks: Look[] = [
    { s: 0, bids: [[10, 3000]], asks: [[10, 3002]] },
    { s: 1, bids: [[10, 3001]], asks: [[10, 3003]] },
    { s: 2, bids: [[10, 3002]], asks: [[10, 3004]] },
    { s: 25, bids: [[10, 1]], asks: [[10, 3]] },
  ]
  const boughtAfter = async (latencyMs: number) =>
    (await replayOf(tapeOf(looks), { assumptions: { latencyMs } })).report.strategies[0]?.pairs[0]
      ?.bought.text
  // At the very instant is not before it.
  expect(await boughtAfter(0)).toBe('3000')
  expect(await boughtAfter(1)).toBe('3001')
  expect(await boughtAfter(1_000)).toBe('3001')
  expect(await boughtAfter(1_001)).toBe('3002')
})

test('a quote that cannot be had before it would expire is not had', async () => {
  const { report } = await replayOf(tapeOf(flat(3000, [0, 31, 31.2])))
  expect(report.strategies[0]?.unsent[0]).toEqual({
    reason: 'no book to quote from before the quote had expired',
    times: 1,
  })
})

test('an old book, an old head and a service that is away are no market', async () => {
  const entries = [
    ...tapeOf(flat(3000, [0])),
    headAt(0, { ageS: 3, gwei: 1 }),
    // 70 s: the book of 0 s is too old.
    { kind: 'line' as const, line: lineOf({ s: 75, status: 503 }) },
    ...tapeOf(flat(3000, [95])).slice(1),
    headAt(95, { ageS: 60, gwei: 1 }),
    ...tapeOf(flat(3000, [109])).slice(1),
  ]
  const { report } = await replayOf(entries, {
    yaml: yamlWith(seller.replace('price: 2950', 'price: 9950')),
  })
  expect(report.strategies[0]).toMatchObject({ asked: 11, decided: 7 })
  expect(report.strategies[0]?.unseen).toEqual([
    { reason: 'the service answered 503, says the tape', times: 2 },
    { reason: 'no fresh book on the tape', times: 1 },
    { reason: 'the latest block was old', times: 1 },
  ])
})

test('one wallet is held to the limits of the treasury', async () => {
  const looks = tapeOf(flat(3000, [0, 1, 10, 11, 20, 21]))
  const settledWith = async (treasury: string) => {
    const { report } = await replayOf(looks, { yaml: yamlWith(seller) + treasury })
    return report.strategies[0]
  }
  expect(await settledWith('')).toMatchObject({ settled: 2, unsent: [] })
  for (const span of ['perHour', 'perDay'])
    expect(await settledWith(`\ntreasury: { ${span}: 4000 USD }\n`)).toMatchObject({
      settled: 1,
      unsent: [{ reason: expect.stringContaining('All wallets together') }],
    })
})

const hourly = `  - name: hourly
    use: dca
    params: { sell: 1 WETH, buy: USDC, cron: "0 * * * *", timeZone: UTC, tolerance: 50 bps }`

const slotsOf = async (
  looks: readonly Look[],
  assumptions: NonNullable<Parameters<typeof replayOf>[1]>['assumptions'],
) => {
  const { replayed } = await replayOf(tapeOf(looks), {
    yaml: yamlWith(hourly),
    assumptions: assumptions ?? {},
  })
  return replayed.tallies.get('hourly')?.slots.map(({ state, reason }) => ({ state, reason }))
}

/** A little more than an hour, by ten seconds. */
const anHour = Array.from({ length: 372 }, (_, index) => index * 10)

test('a slot is begun five times without the gas money, and has failed, as it would live', async () => {
  const poor = { holds: [{ token: weth, wei: 10n ** 18n }] }
  expect((await slotsOf(flat(3000, anHour), poor))?.[0]).toEqual({
    state: 'failed',
    reason: 'Begun 5 times, and nothing settled.',
  })
})

test('a try that the service leaves without an answer uses up nothing of a slot', async () => {
  // Of seven seconds the service is away for one, and each quote is requested in it. No wait of a calendar is of sevens.
  const looks = Array.from({ length: 600 }, (_, index): readonly Look[] => [
    { s: 7 * (index + 1), status: 503 },
    ...flat(3000, [7 * (index + 1) + 1]),
  ]).flat()
  const away = await slotsOf([...flat(3000, [0]), ...looks], { latencyMs: 1_500 })
  // Five tries that were answered would have been its last.
  expect(away?.[0]?.state).toBe('done')
})

test('a period pauses while the market is away, as it does live: longer each time', async () => {
  const looks = Array.from({ length: 80 }, (_, index): Look => {
    const s = index * 5
    return s > 0 && s < 300 ? { s, status: 503 } : { s, bids: [[10, 3000]], asks: [[10, 3002]] }
  })
  const { report } = await replayOf(tapeOf(looks), {
    yaml: yamlWith(seller.replace('every: 10s', 'every: 5s').replace('price: 2950', 'price: 9950')),
  })
  // After 5, 10, 15, 25, 45 s and so on, a minute apart at last: 60 looks of a period that never paused.
  expect(report.strategies[0]?.unseen).toEqual([
    { reason: 'the service answered 503, says the tape', times: 9 },
  ])
})

test('what a live bot would meet again hinders a turn, and a gap of the tape is none of it', async () => {
  const entries = tapeOf([
    ...flat(3000, [0]),
    { s: 10, status: 503 },
    ...flat(3000, [100, 200]),
    { s: 201, bids: [[10, 1]], asks: [[10, 3]] },
    ...flat(3000, [300]),
    { s: 301, bids: [[0.1, 3000]], asks: [[10, 3002]] },
  ])
  const { setting, strategies, market, assumptions } = await replayOf(entries)
  const { world, moveTo } = createTapeWorld({
    ...{ setting, strategies, market, assumptions },
    ledger: createLedger({ coin: setting.tokens, balances: assumptions.holds }),
    chance: createChance(7),
    tallies: new Map(strategies.map(({ name }) => [name, emptyTally()])),
  })
  const [loaded] = strategies
  if (loaded === undefined) throw new Error('there is one')
  const codes: string[] = []
  const books = {
    ...world.books,
    refused: async (_: unknown, { error }: { error: BallastError }) => {
      codes.push(error.code)
    },
  }
  const turnAt = (s: number) => {
    moveTo(start + s * 1_000)
    return turn({ ...world, books }, { loaded, slot: start + s * 1_000 })
  }
  await expect(turnAt(20)).rejects.toMatchObject({ code: 'REPLAY_UNSEEN', fault: 'upstream' })
  // The live bot had a market, and might have been quoted.
  expect([await turnAt(90), codes]).toEqual(['open', []])
  expect([await turnAt(100), codes]).toEqual(['open', ['REPLAY_GAP']])
  expect([await turnAt(200), codes]).toEqual(['hindered', ['REPLAY_GAP', 'REPLAY_UNSENT']])
  // The service said that nobody sells so much: its next answer may be another one.
  expect([await turnAt(300), codes.at(-1)]).toEqual(['open', 'NO_LIQUIDITY'])
})

test('a node that is away is no market, however good its last head was', async () => {
  const away = (s: number): TapeEntry => ({
    kind: 'line',
    line: { ...lineOf({ s, status: 0 }), endpoint: 'head', query: '' },
  })
  const entries = [
    ...tapeOf(flat(3000, [0])),
    headAt(0, { ageS: 3, gwei: 1 }),
    ...[10, 20].flatMap((s) => [...tapeOf(flat(3000, [s])).slice(1), away(s)]),
    ...tapeOf(flat(3000, [30])).slice(1),
    headAt(30, { ageS: 3, gwei: 1 }),
  ]
  const { report } = await replayOf(entries, {
    yaml: yamlWith(seller.replace('price: 2950', 'price: 9950')),
  })
  expect(report.strategies[0]).toMatchObject({
    asked: 4,
    decided: 2,
    unseen: [{ reason: 'the node gave no head, says the tape', times: 2 }],
  })
})

test('injected failures come as often as they should, of every kind, and the same for the same seed', async () => {
  const seconds = Array.from({ length: 2_000 }, (_, index) => index * 30)
  const entries = tapeOf(
    flat(
      3000,
      seconds.flatMap((s) => [s, s + 1]),
    ),
  )
  const yaml = yamlWith(seller.replace('every: 10s', 'every: 30s'))
    .replace('200 WETH', '9000 WETH')
    .replace(
      /notional: .*/,
      'notional: { perSwap: 20000 USD, perHour: 9000000 USD, perDay: 900000000 USD, perStrategy: 900000000 USD }',
    )
  const run = async (seed: number, looks: number) => {
    const { report } = await replayOf(entries.slice(0, (entries.length * looks) / 2_000), {
      yaml,
      assumptions: { fail: 0.1, seed },
    })
    return report.strategies[0]
  }
  const one = await run(7, 2_000)
  const looks = one?.unseen.find(({ reason }) => reason.includes('by injection'))?.times ?? 0
  const quotes = one?.unsent.reduce((sum, { times }) => sum + times, 0) ?? 0
  // 2,000 looks, and the quotes of those that saw something: three standard deviations are 40.
  expect(Math.abs(looks - 200)).toBeLessThan(40)
  expect(Math.abs(quotes - 180)).toBeLessThan(40)
  expect(one?.unsent.map(({ reason }) => reason).sort()).toEqual([
    'firm quote failed: 429, by injection',
    'firm quote failed: 503, by injection',
    'firm quote failed: no answer, by injection',
  ])
  const short = await run(7, 400)
  expect(await run(7, 400)).toEqual(short)
  expect(await run(8, 400)).not.toEqual(short)
})

test('a maker fades the rather the more the market moves against it, and that costs the gas', async () => {
  const falling = (bps: number) =>
    tapeOf(
      Array.from({ length: 400 }, (_, index) => {
        const at = index * 60
        const later = 3000 * (1 - bps / 10_000)
        return [...flat(3000, [at, at + 1]), ...flat(later, [at + 13])]
      }).flat(),
    )
  const yaml = yamlWith(seller.replace('every: 10s', 'every: 60s'))
    .replace('200 WETH', '9000 WETH')
    .replace(
      /notional: .*/,
      'notional: { perSwap: 20000 USD, perHour: 9000000 USD, perDay: 900000000 USD, perStrategy: 900000000 USD }',
    )
  const faded = async (bps: number) => {
    const { report } = await replayOf(falling(bps), { yaml, assumptions: { fadePerBps: 0.01 } })
    return report.strategies[0]
  }
  const still = await faded(-20)
  expect(still?.reverted).toBe(0)
  const [little, much] = [await faded(10), await faded(40)]
  expect(Math.abs((little?.reverted ?? 0) - 40)).toBeLessThan(20)
  expect(Math.abs((much?.reverted ?? 0) - 160)).toBeLessThan(35)
  expect(much?.revertedGas.wei).toBe(
    (BigInt(much?.reverted ?? 0) * 100_000n * 10_000_000_000n).toString(),
  )
  expect((much?.reverted ?? 0) + (much?.settled ?? 0)).toBe(400)
  // Whoever compares two strategies by what gas leaves must not overlook that of the reverts.
  expect(much?.pairs[0]?.gas.wei).toBe((400n * 100_000n * 10_000_000_000n).toString())
  const [paysLittle, paysMuch] = [little, much].map((one) => {
    const { average, averageAllIn } = one?.pairs[0]?.benchmarks ?? {}
    return (average ?? 0) - (averageAllIn ?? 0)
  })
  expect(paysMuch).toBeGreaterThan(1.4 * (paysLittle ?? 0))
})

test('the policy screens as it does live: the day is used up, and the next one is another', async () => {
  const holds = [
    { token: weth, wei: 200n * 10n ** 18n },
    { token: eth, wei: 10n ** 18n },
  ]
  const yaml = yamlWith(seller.replace('every: 10s', 'every: 1h')).replace(
    'perDay: [200 WETH',
    'perDay: [3 WETH',
  )
  const hours = Array.from({ length: 30 }, (_, index) => index * 3_600)
  const { report } = await replayOf(
    tapeOf(
      flat(
        3000,
        hours.flatMap((s) => [s, s + 1]),
      ),
    ),
    {
      yaml,
      assumptions: { holds },
    },
  )
  // Three at once, then none until a day after the first; six hours of the second day are on the tape.
  expect(report.strategies[0]).toMatchObject({
    wanted: 30,
    settled: 6,
    unsent: [{ reason: 'refused by policy.per-day', times: 24 }],
  })
})

test('what the wallet does not hold is not sold, nor is there a swap without its gas', async () => {
  const tape = tapeOf(flat(3000, [0, 1, 25]))
  const unsent = async (wei: { weth: bigint; eth: bigint }) => {
    const holds = [
      { token: weth, wei: wei.weth },
      { token: eth, wei: wei.eth },
    ]
    const { report } = await replayOf(tape, { assumptions: { holds } })
    return report.strategies[0]?.unsent[0]?.reason ?? report.strategies[0]?.waits[0]?.reason
  }
  expect(await unsent({ weth: 10n ** 18n - 1n, eth: 10n ** 18n })).toBe(
    'Holds 0.999999999999999999 WETH, less than the 1 WETH to sell.',
  )
  expect(await unsent({ weth: 10n ** 18n, eth: 10n ** 15n - 1n })).toBe('not enough ETH for gas')
  // Two strategies that both saw it, and one of them was first.
  const both = `${seller}\n${seller.replace('seller', 'second')}`.replaceAll(
    'WETH, buy',
    'ETH, buy',
  )
  const { report } = await replayOf(tape, {
    yaml: yamlWith(both),
    assumptions: { holds: [{ token: eth, wei: 10n ** 18n + 10n ** 15n - 1n }] },
  })
  expect(report.strategies[0]?.unsent[0]?.reason).toBe('not enough ETH')
})

test('a calendar slot is given up after five tries that come to nothing, as it is live', async () => {
  // Each book pays one in a hundred less than the one before: no quote holds its floor.
  const looks = Array.from({ length: 600 }, (_, s) => {
    const price = Number((3000 * 0.99 ** s).toFixed(6))
    return { s, bids: [[10, price]], asks: [[10, price * 1.001]] } satisfies Look
  })
  const yaml = yamlWith(`  - name: seller
    use: dca
    params: { sell: 1 WETH, buy: USDC, cron: "* * * * *", timeZone: UTC, tolerance: 50 bps }`)
  const { replayed } = await replayOf(tapeOf(looks), { yaml })
  const given = replayed.tallies.get('seller')?.slots ?? []
  expect(given[0]).toMatchObject({
    state: 'failed',
    reason: 'Begun 5 times, and nothing settled.',
  })
})

test('gas is what the heads of the tape said, and the tip', async () => {
  const [header, ...books] = tapeOf(flat(3000, [0, 1]))
  const head = headAt(0, { ageS: 1, gwei: 40 })
  const balances = await after([...(header ? [header] : []), head, ...books], {
    assumptions: { tip: 1_000_000_000n },
  })
  expect(balances.ETH).toBe((200n * 10n ** 18n - 100_000n * 41_000_000_000n).toString())
})

test('the same seed gives the same report, byte for byte', async () => {
  const settings = { seed: 3, days: 1, everyMs: 300_000, startedAt: start }
  const run = async () => {
    const { report } = await replayOf([...generateTape(settings)], {
      assumptions: { fail: 0.02, fadePerBps: 0.005, delayBlocksMax: 3 },
    })
    return JSON.stringify(report)
  }
  const one = await run()
  expect(one).toContain('"settled":')
  expect(await run()).toBe(one)
})
