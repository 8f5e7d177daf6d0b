import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { openPaper } from '../../src/app/openPaper.ts'
import type { UnsignedJournal } from '../../src/bot/journal/createUnsigned.ts'
import type { Database } from '../../src/bot/journal/store/database.ts'
import { drive, resume } from '../../src/bot/life/drive.ts'
import type { Decision } from '../../src/bot/stages.ts'
import { type Amount, held, swap, wait } from '../../src/bot/strategy/index.ts'
import type { LoadedStrategy } from '../../src/bot/strategy/load.ts'
import type { Config } from '../../src/config/config.ts'
import { systemClock } from '../../src/core/clock.ts'
import { hourMs, minuteMs } from '../../src/core/spans.ts'
import type { Address } from '../../src/core/token.ts'
import { createJournaledWorld, type Driver } from '../../src/engine/createJournaledWorld.ts'
import { createReserved } from '../../src/engine/createReserved.ts'
import { createLedger } from '../../src/engine/ledger.ts'
import { openLook } from '../../src/engine/look.ts'
import type { OpenMarket } from '../../src/engine/market.ts'
import { type TurnBooks, turn } from '../../src/engine/turn.ts'
import { createForecastWorld } from '../../src/forecast/createForecastWorld.ts'
import { createChance } from '../../src/tape/assumptions.ts'
import { createTapeMarket } from '../../src/tape/createTapeMarket.ts'
import { createTapeWorld } from '../../src/tape/createTapeWorld.ts'
import { loadTape } from '../../src/tape/loadTape.ts'
import { emptyTally } from '../../src/tape/tally.ts'
import { planFixture } from '../cli/plan/planFixture.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { onServer } from '../support/journals.ts'
import { openBot } from '../support/openBot.ts'
import { silent } from '../support/silent.ts'
import { start, tapeOf } from '../tape/tapeOf.ts'
import { type Bench, codeOf, type OpenBench, scripted, unique, wordsOf } from './bench.ts'

/** The configuration of the worlds that need no chain. */
const offline = planFixture()

/** An account that is not the wallet's, and that policy lets receive. */
const friend: Address = '0x00000000000000000000000000000000000f1e2d'

let fork: Fork
let bot: Awaited<ReturnType<typeof openBot>>
let live: Config
/** What its benches open and share, until the end of the file. */
const opened = new AsyncDisposableStack()

/** The limits that every bench is held to. */
const limits = (config: Config): Config => {
  const { amount } = wordsOf(config.tokens.bySymbol)
  const policy = {
    ...config.policy,
    cooldownMs: hourMs,
    perDay: ['3 WETH', '3 ETH', '90000 USDC'].map(amount),
    perSwap: ['2 WETH', '2 ETH', '9000 USDC'].map(amount),
    recipients: [friend],
  }
  return { ...config, policy }
}

beforeAll(async () => {
  fork = opened.adopt(await forkOrigin(), (one) => one.close())
  bot = opened.adopt(await openBot(withFriend(fork)), (one) => one.close())
  live = limits(bot.config)
})
afterAll(() => opened.disposeAsync())

/** The market, with one more who may receive. */
function withFriend(market: Fork): Fork {
  const config = join(market.dataDir, 'with-a-friend.yaml')
  const yaml = readFileSync(market.ready.config, 'utf8')
  writeFileSync(config, yaml.replace('recipients: []', `recipients: ["${friend}"]`))
  return { ...market, ready: { ...market.ready, config } }
}

/** The same bot with its journal on a server, and a chain of its own: a wallet has one journal. */
async function openServerBot(): Promise<typeof bot> {
  const { database } = await onServer(inject('postgres').template)
  const own = opened.adopt(await forkOrigin(), (one) => one.close())
  return opened.adopt(await openBot({ ...withFriend(own), database }), (one) => one.close())
}
let serverBot: ReturnType<typeof openServerBot> | undefined

const journaled = ({
  config,
  journal,
  market,
  driver,
  strategies,
}: {
  config: Config
  journal: UnsignedJournal
  market: OpenMarket
  driver: Driver
  strategies: readonly LoadedStrategy[]
}) => {
  const clock = systemClock
  const { reserved, forget } = createReserved({
    strategies: () => strategies,
    standingOf: journal.decisions.inputs,
    clock,
    broke: async () => {},
  })
  const standingOf = journal.decisions.inputs
  const world = createJournaledWorld({
    unjudged: new Set(),
    ...{ config, journal, clock, driver, forget, log: silent },
    appraise: market.appraise,
    look: openLook({ config, market, standingOf, reserved, clock, onHead: async () => {} }),
    breakers: {
      ...{ atHead: async () => {}, atLook: async () => {}, atPlan: async () => {} },
      ...{ atRefusal: async () => {}, atStart: async () => {}, atEnd: async () => {} },
      atBroken: async () => {},
    },
    isInForce: () => true,
    assertPriced: () => {},
    say: () => {},
    signal: new AbortController().signal,
  })
  return {
    ...wordsOf(config.tokens.bySymbol),
    async take(loaded: LoadedStrategy, slot: number) {
      await turn(world, { loaded, slot })
    },
    settled: async (strategy: string) =>
      (await journal.swaps.history({ limit: 100, strategy })).filter(
        ({ state }) => state === 'SETTLED',
      ).length,
    refused: async (strategy: string) =>
      unique((await journal.decisions.countRefusals({ strategy })).map(({ code }) => code)),
  }
}

function openLive(
  { config, journal, market, train }: typeof bot,
  strategies: readonly LoadedStrategy[],
): Bench {
  const driver: Driver = {
    drive: (planned, signal) => drive(planned, train, signal),
    resume: (id, signal) => resume(id, train, signal),
  }
  const bench = journaled({ config: limits(config), journal, market, driver, strategies })
  return { ...bench, close: async () => {} }
}

async function openOnPaper(
  database: Database,
  strategies: readonly LoadedStrategy[],
): Promise<Bench> {
  const config = { ...live, database }
  const parts = { config, market: bot.market, clock: systemClock }
  const backend = await openPaper({ ...parts, balances: undefined })
  const { journal, market } = backend
  const driver = backend.driverFor(config)
  const bench = journaled({ config, journal, market, driver, strategies })
  return { ...bench, close: backend.close }
}

const benches: Readonly<Record<string, OpenBench>> = {
  live: async (strategies) => openLive(bot, strategies),
  async 'live-postgres'(strategies) {
    serverBot ??= openServerBot()
    return openLive(await serverBot, strategies)
  },
  paper: (strategies) =>
    openOnPaper(
      { dialect: 'sqlite', path: `${fork.dataDir}/${strategies[0]?.name}.db` },
      strategies,
    ),
  async 'paper-postgres'(strategies) {
    const { database } = await onServer(inject('postgres').template)
    return openOnPaper(database, strategies)
  },
  async tape(strategies) {
    const setting = limits(offline.config)
    const quiet = Array.from({ length: 3_000 }, (_, s) => ({
      s,
      bids: [[50, 3000]] as const,
      asks: [[50, 3002]] as const,
    }))
    const tape = await loadTape(tapeOf(quiet), setting)
    const { tokens, policy } = setting
    const worth = {
      unit: policy.unit,
      stablecoins: [tokens.bySymbol.get('USDC')].filter((one) => one !== undefined),
      tokens: policy.tokens,
    }
    const words = wordsOf(tokens.bySymbol)
    const tallies = new Map(strategies.map(({ name }) => [name, emptyTally()]))
    const replayed = createTapeWorld({
      ...{ setting, strategies, tallies, chance: createChance(7) },
      market: createTapeMarket(tape, { wrapped: tokens.wrapped, worth }),
      assumptions: {
        ...{ timings: [], approvals: false, standing: [], confirmations: 0, refillMs: 0 },
        ...{ latencyMs: 300, ageMsMax: 60_000, fail: 0, fadePerBps: 0, delayBlocksMax: 1 },
        ...{ gas: 100_000n, tip: 0n, baseFee: 10n ** 9n, seed: 7, holds: [] },
      },
      ledger: createLedger({
        coin: tokens,
        balances: ['100 WETH', '100 ETH', '300000 USDC'].map(words.amount),
      }),
    })
    const tallyOf = (strategy: string) => tallies.get(strategy) ?? emptyTally()
    const refused = new Map<string, readonly string[]>()
    const books: TurnBooks = {
      ...replayed.world.books,
      async refused(order, end) {
        const { name } = order.loaded
        refused.set(name, [...(refused.get(name) ?? []), end.error.code])
        return replayed.world.books.refused(order, end)
      },
    }
    return {
      ...words,
      async take(loaded, slot) {
        // One wallet, one thing at a time: a turn begins when the last one is over.
        replayed.moveTo(Math.max(replayed.now(), start + slot))
        await turn({ ...replayed.world, books }, { loaded, slot })
      },
      settled: async (strategy) => tallyOf(strategy).executions.length,
      refused: async (strategy) => unique(refused.get(strategy) ?? []),
      close: async () => {},
    }
  },
  async forecast(strategies) {
    const config = limits(offline.config)
    const known = offline.outlook(Date.UTC(2026, 0, 1), strategies)
    const view = (strategy: string) => {
      const found = known.views.get(strategy)
      if (found === undefined) throw new Error(`${strategy} has looked at its market`)
      return found
    }
    const outlook = { ...known, balances: known.balances ?? [], view }
    const days = createForecastWorld({ config, strategies, outlook })
    const fills = new Map<string, number>()
    const rules = new Map<string, readonly string[]>()
    return {
      ...wordsOf(config.tokens.bySymbol),
      async take(loaded, slot) {
        const considered = await days.consider(loaded, slot)
        days.carryOut(loaded, considered)
        const { name } = loaded
        fills.set(name, (fills.get(name) ?? 0) + considered.fills.length)
        const blocks = considered.ask.swaps.flatMap((one) => one.blocks)
        const codes = blocks.map(({ rule }) => codeOf(`policy.${rule}`))
        rules.set(name, [...(rules.get(name) ?? []), ...codes])
      },
      settled: async (strategy) => fills.get(strategy) ?? 0,
      refused: async (strategy) => unique(rules.get(strategy) ?? []),
      close: async () => {},
    }
  },
}

/** Turns in an order of slots, whatever world they are taken in. */
describe.each(Object.entries(benches))('%s', (world, open) => {
  const config = () => (/^(?:live|paper)/.test(world) ? live : offline.config)
  /** Half a percent below the price of every world. */
  const order = (sell: string, floor: string): Decision => {
    const { amount } = wordsOf(config().tokens.bySymbol)
    const least = amount(floor)
    return swap({ sell: amount(sell), buy: least.token, floor: least, reason: 'a test' })
  }
  /** The same, for another account. */
  const given = (sell: string, floor: string): Decision => {
    const decision = order(sell, floor)
    if (decision.kind !== 'swap') return decision
    return swap(...decision.intents.map((intent) => ({ ...intent, recipient: friend })))
  }
  const both = (...decisions: readonly Decision[]): Decision =>
    swap(...decisions.flatMap((one) => (one.kind === 'swap' ? one.intents : [])))
  const run = async (strategies: readonly LoadedStrategy[], turns: number) => {
    const bench = await open(strategies)
    try {
      for (let index = 0; index < turns; index += 1)
        for (const loaded of strategies) await bench.take(loaded, index * minuteMs)
      const [first] = strategies
      const name = first?.name ?? ''
      return { settled: await bench.settled(name), refused: await bench.refused(name) }
    } finally {
      await bench.close()
    }
  }

  test('an order is carried out; the same pair again, in either direction and under either name of the coin, waits for the cooldown', async () => {
    const wishes = [
      order('1 WETH', '2985 USDC'),
      order('500 USDC', '0.1658 WETH'),
      order('500 USDC', '0.1658 ETH'),
    ]
    const cooled = scripted(
      `cooled-${world}`,
      ({ slot }) => wishes[slot / minuteMs] ?? wait('done'),
    )
    expect(await run([cooled], 4)).toEqual({ settled: 1, refused: ['POLICY_COOLDOWN'] })
  })

  test('the second order of a decision counts the first', async () => {
    const double = scripted(`double-${world}`, () =>
      both(order('0.1 WETH', '298.5 USDC'), order('0.1 WETH', '298.5 USDC')),
    )
    expect(await run([double], 1)).toEqual({ settled: 1, refused: ['POLICY_COOLDOWN'] })
  })

  test('a price that the market does not pay is refused before anything is signed', async () => {
    const greedy = scripted(`greedy-${world}`, () => order('1 WETH', '3100 USDC'))
    // Where a service is called, the swap is on record: abandoned after its quote.
    const refused = {
      tape: ['REPLAY_UNSENT'],
      forecast: ['POLICY_NOT_ABOVE_REFERENCE'],
    }[world]
    expect(await run([greedy], 1)).toEqual({ settled: 0, refused: refused ?? [] })
  })

  test('limits count the swaps of every strategy', async () => {
    const late = scripted(`late-${world}`, () => order('2 WETH', '5970 USDC'))
    const early = scripted(`early-${world}`, () => order('1.5 WETH', '4477 USDC'), { priority: 1 })
    const bench = await open([late, early])
    await bench.take(early, 0)
    await bench.take(late, minuteMs)
    expect(await bench.settled(early.name)).toBe(1)
    expect(await bench.settled(late.name)).toBe(0)
    expect(await bench.refused(late.name)).toEqual(['POLICY_PER_DAY'])
    await bench.close()
  })

  test('a strategy sees the most that one swap may sell and be worth, as the policy says', async () => {
    const words = wordsOf(config().tokens.bySymbol)
    const seen: (readonly (Amount | undefined)[])[] = []
    const looker = scripted(`limits-${world}`, ({ swapLimits = [], swapWorth }) => {
      seen.push([...swapLimits, swapWorth])
      return wait('only looks')
    })
    await run([looker], 1)
    expect(seen[0]).toEqual([
      ...['2 WETH', '2 ETH', '9000 USDC'].map(words.amount),
      config().policy.notional.perSwap,
    ])
  })

  test('what another recipient receives never is the wallet’s', async () => {
    const { token } = wordsOf(config().tokens.bySymbol)
    const [weth, usdc] = [token('WETH'), token('USDC')]
    // A forecast decides more than once on what it only supposes: the first of a slot is of the turn.
    const seen = new Map<number, readonly bigint[]>()
    const giver = scripted(`giver-${world}`, ({ slot, balances }) => {
      const isFirst = seen.size === 0
      if (!seen.has(slot))
        seen.set(
          slot,
          [weth, usdc].map((one) => held(balances, one).wei),
        )
      return isFirst ? given('0.1 WETH', '298.5 USDC') : wait('gave')
    })
    expect(await run([giver], 2)).toEqual({ settled: 1, refused: [] })
    const [[soldBefore = 0n, boughtBefore] = [], after] = [...seen.values()]
    expect(after).toEqual([soldBefore - 10n ** 17n, boughtBefore])
  })

  test('a strategy sees what other accounts hold, and what its swaps brought them; a tape has none', async () => {
    const usdc = wordsOf(config().tokens.bySymbol).token('USDC')
    const seen = new Map<number, bigint | undefined>()
    const watcher = scripted(
      `watcher-${world}`,
      ({ slot, accounts = [] }) => {
        const isFirst = seen.size === 0
        if (!seen.has(slot)) seen.set(slot, accounts[0]?.held.wei)
        return isFirst ? given('0.1 WETH', '298.5 USDC') : wait('gave')
      },
      { accounts: [{ account: friend, token: usdc }] },
    )
    const { settled } = await run([watcher], 2)
    const [before = 0n, after = 0n] = [...seen.values()]
    expect(settled).toBe(world === 'tape' ? 0 : 1)
    expect(seen.size).toBe(world === 'tape' ? 0 : 2)
    expect(after - before).toBeGreaterThanOrEqual(world === 'tape' ? 0n : 298_500_000n)
    expect(after - before).toBeLessThan(302_000_000n)
  })

  test('a strategy does not see the reserves of another', async () => {
    const words = wordsOf(config().tokens.bySymbol)
    // A forecast decides more than once on what it only supposes: the first is of the turn.
    const seen = new Map<boolean, bigint>()
    let isBeside = false
    const looker = scripted(`looker-${world}`, ({ balances }) => {
      if (!seen.has(isBeside)) seen.set(isBeside, held(balances, words.token('WETH')).wei)
      return wait('only looks')
    })
    const keeper = scripted(`keeper-${world}`, () => wait('keeps'), {
      reserves: () => [words.amount('2 WETH')],
    })
    await run([looker], 1)
    isBeside = true
    await run([looker, keeper], 1)
    expect((seen.get(false) ?? 0n) - (seen.get(true) ?? 0n)).toBe(words.amount('2 WETH').wei)
  })
})
