import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readJournal } from '../../src/bot/journal/readJournal.ts'
import { drive, resume } from '../../src/bot/life/drive.ts'
import type { Drivetrain } from '../../src/bot/life/train.ts'
import type { Lock } from '../../src/bot/lock.ts'
import { attentionText, lockItem } from '../../src/bot/report/attention.ts'
import {
  type Context,
  type Decision,
  defineStrategy,
  held,
  postpone,
  remember,
  type Strategy,
  swap,
  wait,
} from '../../src/bot/strategy/index.ts'
import type { LoadedStrategy } from '../../src/bot/strategy/load.ts'
import { amountOf, parseAmount, tokenOf } from '../../src/core/amount.ts'
import { systemClock } from '../../src/core/clock.ts'
import { BallastError, ballastError } from '../../src/core/errors.ts'
import { createBreakers } from '../../src/engine/createBreakers.ts'
import { createJournaledWorld } from '../../src/engine/createJournaledWorld.ts'
import { createReserved } from '../../src/engine/createReserved.ts'
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

const sells = (sell: string) => parseAmount(sell, bot.config.tokens.bySymbol)
const slot = Date.UTC(2026, 10, 20, 9)

/** An entry of a calendar that decides as it is told to. */
function calendar(
  name: string,
  decide: (context: Context<unknown>) => Decision,
  { priority = 0, reserves }: { priority?: number; reserves?: Strategy<unknown>['reserves'] } = {},
): LoadedStrategy {
  const strategy = defineStrategy<unknown>({
    name,
    summary: 'A test.',
    params: () => {
      throw new Error('it is loaded already')
    },
    schedule: () => ({ kind: 'cron', expression: '0 9 * * *', timeZone: 'UTC' }),
    watch: () => [],
    ...(reserves === undefined ? {} : { reserves }),
    decide,
  })
  const schedule = strategy.schedule({})
  return { name, strategy, params: {}, schedule, watches: [], priority }
}

/** The same of a period. */
const daily = (name: string, decide: () => Decision): LoadedStrategy => ({
  ...calendar(name, decide),
  schedule: { kind: 'every', seconds: 86_400 },
})

const sellOne = (): Decision => {
  const buy = tokenOf('USDC', bot.config.tokens.bySymbol)
  return swap({ sell: sells('1 WETH'), buy, floor: amountOf(buy, '2900'), reason: 'a test' })
}

/** How long the process stands still between a decision and its order. */
let leapMs = 0

/** Asks as `ballast run` does, through parts that may be bent. */
function asking(
  all: readonly LoadedStrategy[],
  bent: Partial<Drivetrain> = {},
  isInForce = () => true,
  say: (line: string) => void = () => {},
  judging: Partial<ReturnType<typeof createBreakers>> = {},
  leave?: AbortSignal,
) {
  const { config, journal, market, train } = bot
  const clock = systemClock
  const { reserved, forget } = createReserved({
    strategies: () => all,
    standingOf: journal.decisions.inputs,
    clock,
    broke: async ({ name }, error) => judging.atBroken?.(name, error),
  })
  return turning(
    createJournaledWorld({
      unjudged: new Set(),
      config,
      journal,
      clock: { ...clock, now: () => clock.now() + leapMs },
      driver: {
        drive: (planned, at) => drive(planned, { ...train, ...bent }, at),
        resume: (swapId, at) => resume(swapId, train, at),
      },
      forget,
      appraise: market.appraise,
      look: openLook({
        config,
        market,
        standingOf: journal.decisions.inputs,
        reserved,
        clock,
        onHead: async () => {},
      }),
      breakers: {
        ...{ atHead: async () => {}, atLook: async () => {}, atPlan: async () => {} },
        ...{ atRefusal: async () => {}, atStart: async () => {}, atEnd: async () => {} },
        ...{ atBroken: async () => {}, ...judging },
      },
      isInForce,
      assertPriced: () => {},
      log: silent,
      say,
      ...{ signal: new AbortController().signal, leave },
    }),
  )
}

const away = async (): Promise<never> => {
  throw new BallastError('Nobody quotes.', {
    code: 'QUOTE_UNAVAILABLE',
    remedy: 'skip',
    fault: 'upstream',
  })
}
const swapsOf = async (strategy: string) =>
  (await bot.journal.swaps.history({ limit: 100, strategy })).map(({ state }) => state)
const standing = (strategy: string) => bot.journal.slots.progress({ strategy, slot })

test('what ends a swap is not hidden by a journal that is too busy to judge its end', async () => {
  const entry = calendar('hidden', sellOne)
  const busy = async () => {
    throw ballastError('JOURNAL_BUSY', 'Another process holds it.')
  }
  const { signer, journal } = bot.train
  const bent: Partial<Drivetrain> = {
    signer: {
      ...signer,
      sign: async () => {
        throw ballastError('SIGNED_DIFFERS', 'The signer gave other bytes.')
      },
    },
    journal: {
      ...journal,
      attempts: { ...journal.attempts, commitQuote: busy },
      swaps: { ...journal.swaps, close: busy },
    },
  }
  const tick = asking([entry], bent, undefined, undefined, { atEnd: busy })
  await expect(tick(entry, slot)).rejects.toMatchObject({ code: 'SIGNED_DIFFERS' })
  // The next start closes what was not closed.
  expect(await swapsOf('hidden')).toEqual(['PLANNED'])
  for (const open of await bot.journal.swaps.open()) await resume(open, bot.train)
  expect(await swapsOf('hidden')).toEqual(['ABANDONED'])
})

test('an end that the journal was too busy to judge is judged before the next look', async () => {
  const entry = calendar('unjudged', sellOne)
  const judged: string[] = []
  let isBusy = true
  const atEnd = async (swapId: string) => {
    judged.push(swapId)
    if (isBusy) throw ballastError('JOURNAL_BUSY', 'Another process holds it.')
  }
  const tick = asking([entry], {}, undefined, undefined, { atEnd })
  await tick(entry, slot).catch(() => undefined)
  const [swapId] = judged
  expect(judged).toEqual([swapId])
  expect(await swapsOf('unjudged')).toEqual(['SETTLED'])
  isBusy = false
  await tick(entry, slot)
  expect(judged).toEqual([swapId, swapId])
  await tick(entry, slot)
  expect(judged).toHaveLength(2)
})

test('a strategy that fails while it decides is locked until a person has looked, and the others go on', async () => {
  const { config, journal, market } = bot
  const breakers = createBreakers({ config, journal, market, clock: systemClock, log: silent })
  let isMended = false
  const broken = calendar('broken', () => {
    if (isMended) return sellOne()
    throw ballastError('STRATEGY_BROKEN', 'strategies/broken.ts:3:7 decide failed: no such pair.')
  })
  const said: string[] = []
  const tick = asking([broken], {}, undefined, (line) => said.push(line), breakers)
  expect(await tick(broken, slot)).toBe('hindered')
  const locks = await journal.locks.live()
  expect(locks).toMatchObject([
    {
      ...{ kind: 'breaker', scope: 'strategy broken', code: 'STRATEGY_BROKEN' },
      reason: 'strategies/broken.ts:3:7 decide failed: no such pair.',
      expiresAt: undefined,
    },
  ])
  expect(attentionText(lockItem(locks[0] as Lock))).toMatchObject({
    ...{
      code: 'STRATEGY_BROKEN',
      severity: 'critical',
      subject: expect.stringMatching(/^lock \d+$/),
    },
    sentence: expect.stringContaining('no such pair'),
  })
  expect(said).toEqual([
    'BROKEN  broken: strategies/broken.ts:3:7 decide failed: no such pair. The others go on.',
  ])

  const other = calendar('other', sellOne)
  expect(await tick(other, slot)).toBe('closed')
  expect(await swapsOf('other')).toEqual(['SETTLED'])
  // Mended or not: it is not called before its lock is released.
  isMended = true
  expect(await tick(broken, slot)).toBe('open')
  await journal.locks.release({ id: locks[0]?.id ?? 0, reason: 'mended' })
  expect(await tick(broken, slot)).toBe('closed')
  expect(await swapsOf('broken')).toEqual(['SETTLED'])
})

/** How six turns at one slot end while the service refuses each quote. */
async function sixRefused(entry: LoadedStrategy): Promise<readonly string[]> {
  const quote = async () => {
    throw ballastError('QUOTE_REFUSED', 'The service refuses.')
  }
  const failing = asking([entry], { reading: { ...bot.train.reading, quote } })
  const outcomes: string[] = []
  for (let count = 0; count < 6; count += 1) outcomes.push(await failing(entry, slot))
  return outcomes
}

describe('a slot of a period', () => {
  test('whose quote fails stays open, and is executed once: settled, it is not decided on again', async () => {
    let decided = 0
    const entry = daily('every day', () => {
      decided += 1
      return sellOne()
    })
    const { reading } = bot.train
    const failing = asking([entry], { reading: { ...reading, quote: away } })
    expect(await failing(entry, slot)).toBe('hindered')
    const tick = asking([entry])
    expect([await tick(entry, slot), await tick(entry, slot)]).toEqual(['closed', 'closed'])
    expect({ decided, swaps: await swapsOf('every day') }).toEqual({
      decided: 2,
      swaps: ['SETTLED', 'ABANDONED'],
    })
    // The calendar alone has rows for its slots.
    expect(await bot.journal.slots.lastClosed('every day')).toBeUndefined()
  })

  test('is given up after as many attempts as are allowed', async () => {
    expect(await sixRefused(daily('no day', sellOne))).toEqual([
      ...Array(5).fill('hindered'),
      'closed',
    ])
    expect(await standing('no day')).toMatchObject({ settled: 0, tries: 5 })
  })
})

test('a strategy whose reserves fail is locked at the look of another, and that one trades', async () => {
  const { config, journal, market } = bot
  const breakers = createBreakers({ config, journal, market, clock: systemClock, log: silent })
  const decided: string[] = []
  const keeper = calendar(
    'keeper-broken',
    () => {
      decided.push('keeper-broken')
      return wait('decides')
    },
    {
      reserves() {
        throw ballastError('STRATEGY_BROKEN', 'strategies/keeper.ts:3:7 reserves failed: odd.')
      },
    },
  )
  const other = calendar('other-beside', sellOne)
  const tick = asking([keeper, other], {}, undefined, undefined, breakers)
  expect(await tick(other, slot)).toBe('closed')
  expect(await swapsOf('other-beside')).toEqual(['SETTLED'])
  const locksOf = async () =>
    (await journal.locks.live()).filter(({ scope }) => scope === 'strategy keeper-broken')
  const [lock, ...more] = await locksOf()
  expect(lock).toMatchObject({
    code: 'STRATEGY_BROKEN',
    reason: 'strategies/keeper.ts:3:7 reserves failed: odd.',
  })
  expect(more).toEqual([])
  expect(await tick(keeper, slot)).toBe('open')
  // Released and not mended: its own look opens the lock again before it decides.
  await journal.locks.release({ id: lock?.id ?? 0, reason: 'a test' })
  expect(await tick(keeper, slot)).toBe('open')
  expect(decided).toEqual([])
  const [again] = await locksOf()
  expect(again?.id).not.toBe(lock?.id)
  await journal.locks.release({ id: again?.id ?? 0, reason: 'the test is over' })
})

describe('a slot of a calendar', () => {
  test('whose quote fails stays open, is begun again, and is executed once', async () => {
    const entry = calendar('again', sellOne)
    const { reading } = bot.train
    const failing = asking([entry], { reading: { ...reading, quote: away } })
    expect(await failing(entry, slot)).toBe('hindered')
    expect(await swapsOf('again')).toEqual(['ABANDONED'])
    expect(await bot.journal.slots.lastClosed('again')).toBeUndefined()

    const tick = asking([entry])
    expect(await tick(entry, slot)).toBe('closed')
    expect(await swapsOf('again')).toEqual(['SETTLED', 'ABANDONED'])
    expect(await bot.journal.slots.lastClosed('again')).toEqual({
      upto: slot,
      calendar: '0 9 * * * UTC',
    })

    // As after a start whose calendar did not hear of the end.
    expect(await tick(entry, slot)).toBe('closed')
    expect(await swapsOf('again')).toEqual(['SETTLED', 'ABANDONED'])
  })

  test('is given up after as many attempts as are allowed', async () => {
    expect(await sixRefused(calendar('hopeless', sellOne))).toEqual([
      ...Array(4).fill('hindered'),
      'closed',
      'closed',
    ])
    expect(await standing('hopeless')).toMatchObject({ settled: 0, open: false, tries: 5 })
  })

  test('is kept open while the service gives no answer, however often it is begun', async () => {
    const entry = calendar('unanswered', sellOne)
    const { reading } = bot.train
    const failing = asking([entry], { reading: { ...reading, quote: away } })
    for (let count = 0; count < 6; count += 1) expect(await failing(entry, slot)).toBe('hindered')
    expect(await standing('unanswered')).toMatchObject({ tries: 6, answered: 0 })
    expect(await asking([entry])(entry, slot)).toBe('closed')
    expect((await swapsOf('unanswered'))[0]).toBe('SETTLED')
  })

  test('that was decided on and not planned is decided on again', async () => {
    const entry = calendar('torn', sellOne)
    const { journal } = bot
    const torn = asking([entry])
    const context = { at: systemClock.now(), slot, strategy: 'torn' }
    const decided = { ...context, context: {} as never, decision: sellOne() }
    await journal.decisions.record(decided)
    expect(await journal.slots.lastClosed('torn')).toBeUndefined()
    expect(await torn(entry, slot)).toBe('closed')
    expect(await swapsOf('torn')).toEqual(['SETTLED'])
  })

  test('a reason to wait closes it, a reason to postpone does not', async () => {
    const waiting = calendar('waiting', () => wait('not today'))
    const postponing = calendar('postponing', () => postpone('not yet'))
    expect(await asking([waiting])(waiting, slot)).toBe('closed')
    expect(await bot.journal.slots.lastClosed('waiting')).toMatchObject({ upto: slot })
    expect(await asking([postponing])(postponing, slot)).toBe('open')
    expect(await bot.journal.slots.lastClosed('postponing')).toBeUndefined()
  })

  test('that policy refuses before anything is planned is on record with the reason', async () => {
    const buy = tokenOf('USDC', bot.config.tokens.bySymbol)
    const entry = calendar('greedy', () =>
      swap({ sell: sells('6 WETH'), buy, floor: amountOf(buy, '17000'), reason: 'too much' }),
    )
    const said: string[] = []
    expect(
      await asking(
        [entry],
        {},
        () => true,
        (line) => said.push(line),
      )(entry, slot),
    ).toBe('open')
    expect(said).toEqual([
      expect.stringMatching(/^REFUSED greedy: policy\.per-swap: .*\(POLICY_PER_SWAP\)$/),
    ])
    expect(await swapsOf('greedy')).toEqual([])
    const { config } = bot
    const reading = await readJournal({ ...config, clock: systemClock })
    const [decision] = await reading.decisions.find({ strategy: 'greedy', slot })
    expect(await reading.decisions.refusals(decision?.id ?? 0)).toEqual([
      { code: 'POLICY_PER_SWAP', reason: expect.stringContaining('at most 5 WETH') },
    ])
    expect(await reading.decisions.countRefusals({ strategy: 'greedy' })).toEqual([
      { code: 'POLICY_PER_SWAP', count: 1 },
    ])
    expect(await reading.decisions.countRefusals({ strategy: 'greedy', until: 1 })).toEqual([])
    await reading.shut()
  })

  test('that is an hour old before its swap is planned is decided again', async () => {
    const entry = calendar('stalled', () => {
      leapMs = 3_600_001
      return sellOne()
    })
    const ask = asking([entry])
    expect(await ask(entry, slot).finally(() => (leapMs = 0))).toBe('hindered')
    expect(await swapsOf('stalled')).toEqual([])
    const reading = await readJournal({ ...bot.config, clock: systemClock })
    const [decision] = await reading.decisions.find({ strategy: 'stalled', slot })
    expect(await reading.decisions.refusals(decision?.id ?? 0)).toMatchObject([
      { code: 'DECISION_STALE' },
    ])
    await reading.shut()
  })

  test('that is an hour old once it is planned, after a sleep of the machine, is decided again', async () => {
    const entry = calendar('asleep', sellOne)
    const atPlan = async () => {
      leapMs = 3_600_001
    }
    const ask = asking([entry], {}, undefined, undefined, { atPlan })
    expect(await ask(entry, slot).finally(() => (leapMs = 0))).toBe('hindered')
    expect(await swapsOf('asleep')).toEqual([])
  })

  test('of several swaps: each has the time of those before it, six hours in all, and no more is tried then', async () => {
    const entry = calendar('basket', () => {
      const one = sellOne()
      if (one.kind !== 'swap') return one
      const [intent] = one.intents
      return intent === undefined ? one : swap(intent, intent, intent, intent)
    })
    // The first settles two hours later, the second four hours after it.
    const hours = [2, 6.001]
    const measure: Drivetrain['measure'] = async (settled, receipt) => {
      leapMs = (hours.shift() ?? 0) * 3_600_000
      return bot.train.measure(settled, receipt)
    }
    await asking([entry], { measure })(entry, slot).finally(() => (leapMs = 0))
    expect(await swapsOf('basket')).toEqual(['SETTLED', 'SETTLED'])
    const reading = await readJournal({ ...bot.config, clock: systemClock })
    expect(await reading.decisions.countRefusals({ strategy: 'basket' })).toEqual([
      { code: 'DECISION_STALE', count: 1 },
    ])
    await reading.shut()
  })

  test('that was refused again and again is written down whole once its swap is planned', async () => {
    const buy = tokenOf('USDC', bot.config.tokens.bySymbol)
    let amount = '6 WETH'
    const entry = calendar('patient', () =>
      swap({ sell: sells(amount), buy, floor: amountOf(buy, '2900'), reason: `sells ${amount}` }),
    )
    const ask = asking([entry])
    expect([await ask(entry, slot), await ask(entry, slot)]).toEqual(['open', 'open'])
    amount = '1 WETH'
    await ask(entry, slot)
    const reading = await readJournal({ ...bot.config, clock: systemClock })
    expect(await reading.decisions.find({ strategy: 'patient', slot })).toMatchObject([
      { looks: 3, reason: 'sells 6 WETH', last_reason: 'sells 1 WETH' },
      { looks: 1, reason: 'sells 1 WETH' },
    ])
    expect(await reading.decisions.countRefusals({ strategy: 'patient' })).toEqual([
      { code: 'POLICY_PER_SWAP', count: 2 },
    ])
    await reading.shut()
  })

  test('whose configuration changes meanwhile ends the swap under way, and begins no other under the old rules', async () => {
    const entry = calendar('changed', () => {
      const one = sellOne()
      return one.kind === 'swap' ? swap(...one.intents, ...one.intents) : one
    })
    let current = true
    const { reading } = bot.train
    const tick = asking(
      [entry],
      {
        reading: {
          ...reading,
          quote: (appraised) => {
            current = false
            return reading.quote(appraised)
          },
        },
      },
      () => current,
    )
    expect(await tick(entry, slot)).toBe('closed')
    expect(await swapsOf('changed')).toEqual(['SETTLED'])
    const books = await readJournal({ ...bot.config, clock: systemClock })
    const [decision] = await books.decisions.find({ strategy: 'changed', slot })
    expect(await books.decisions.refusals(decision?.id ?? 0)).toEqual([
      {
        code: 'CONFIG_CHANGED',
        reason: 'The configuration changed before this swap was planned.',
      },
    ])
    // A part is not said to be all of it.
    expect(await books.slots.page({ strategy: 'changed', limit: 1 })).toMatchObject([
      { slot, state: 'failed', reason: '1 of 2 swaps settled.' },
    ])
    await books.shut()
  })

  test('of several swaps that a stop cut off after the first has failed, and is not begun again', async () => {
    const entry = calendar('cut-off', () => {
      const one = sellOne()
      return one.kind === 'swap' ? swap(...one.intents, ...one.intents, ...one.intents) : one
    })
    let plans = 0
    const atPlan = async () => {
      plans += 1
      if (plans === 2) throw new Error('killed')
    }
    const killed = asking([entry], {}, undefined, undefined, { atPlan })
    await expect(killed(entry, slot)).rejects.toThrow('killed')
    expect(await asking([entry])(entry, slot)).toBe('closed')
    expect(await swapsOf('cut-off')).toEqual(['SETTLED'])
    const books = await readJournal({ ...bot.config, clock: systemClock })
    expect(await books.slots.page({ strategy: 'cut-off', limit: 1 })).toMatchObject([
      { slot, state: 'failed', reason: '1 of 3 swaps settled.' },
    ])
    await books.shut()
  })

  test('of several swaps is carried out whole where the wallet is given back meanwhile, and none begins after', async () => {
    const entry = calendar('given-back', () => {
      const one = sellOne()
      return one.kind === 'swap' ? swap(...one.intents, ...one.intents) : one
    })
    const leave = new AbortController()
    const { reading } = bot.train
    const bent: Partial<Drivetrain> = {
      reading: {
        ...reading,
        quote: (appraised) => {
          leave.abort()
          return reading.quote(appraised)
        },
      },
    }
    const tick = asking([entry], bent, undefined, undefined, {}, leave.signal)
    expect(await tick(entry, slot)).toBe('closed')
    expect(await swapsOf('given-back')).toEqual(['SETTLED', 'SETTLED'])
    // Also where the signal comes while it looks.
    const later = new AbortController()
    const looking = calendar('looking', () => {
      later.abort()
      return sellOne()
    })
    expect(await asking([looking], {}, undefined, undefined, {}, later.signal)(looking, slot)).toBe(
      'open',
    )
    expect(await swapsOf('looking')).toEqual([])
  })

  test('whose configuration changes while it is appraised plans nothing under the old limits', async () => {
    const entry = calendar('appraised', sellOne)
    let current = true
    const tick = asking([entry], {}, () => current, undefined, {
      atPlan: async () => {
        current = false
      },
    })
    expect(await tick(entry, slot)).toBe('open')
    expect(await swapsOf('appraised')).toEqual([])
    current = true
    expect(await asking([entry])(entry, slot)).toBe('closed')
  })

  test('that policy refuses again and again is told once at the terminal', async () => {
    const buy = tokenOf('USDC', bot.config.tokens.bySymbol)
    const entry = calendar('insistent', () =>
      swap({ sell: sells('6 WETH'), buy, floor: amountOf(buy, '17000'), reason: 'too much' }),
    )
    const said: string[] = []
    const tick = asking([entry], {}, undefined, (line) => said.push(line))
    for (let count = 0; count < 3; count += 1) expect(await tick(entry, slot)).toBe('open')
    expect(said).toHaveLength(1)
  })

  test('under a lock stays open', async () => {
    const entry = calendar('locked', sellOne)
    const { lock } = await bot.journal.locks.open({
      kind: 'pause',
      scope: 'strategy locked',
      code: 'BY_HAND',
      reason: 'a test',
      expiresAt: undefined,
    })
    expect(await asking([entry])(entry, slot)).toBe('open')
    await bot.journal.locks.release({ id: lock.id, reason: 'the test is over' })
    expect(await swapsOf('locked')).toEqual([])
  })
})

describe('what one strategy keeps', () => {
  test.each([
    ['of the same priority does not see it', 0, 0, true],
    ['of a lower priority does not see it', 10, 0, true],
    ['of a higher priority sees through it', 0, 10, false],
  ])('another %s', async (_title, keeping, looking, isHidden) => {
    const seen: bigint[] = []
    const weth = tokenOf('WETH', bot.config.tokens.bySymbol)
    const looker = calendar(
      `looker-${keeping}-${looking}`,
      ({ balances }) => {
        seen.push(held(balances, weth).wei)
        return postpone('only looks')
      },
      { priority: looking },
    )
    const keeper = calendar('keeper', () => wait('keeps'), {
      priority: keeping,
      reserves: () => [sells('2 WETH')],
    })
    await asking([looker])(looker, slot)
    await asking([looker, keeper])(looker, slot)
    const [alone = 0n, beside = 0n] = seen
    expect(alone - beside).toBe(isHidden ? sells('2 WETH').wei : 0n)
  })

  test('what a decision remembers ends what it reserves, at once', async () => {
    const seen: bigint[] = []
    const weth = tokenOf('WETH', bot.config.tokens.bySymbol)
    const looker = calendar('looker-on', ({ balances }) => {
      seen.push(held(balances, weth).wei)
      return postpone('only looks')
    })
    const keeper = calendar('keeper-stops', () => remember({ stopped: true }, wait('stops')), {
      priority: 1,
      reserves: ({ memory }) => (memory?.stopped === true ? [] : [sells('2 WETH')]),
    })
    const ask = asking([looker, keeper])
    await ask(looker, slot)
    await ask(keeper, slot)
    await ask(looker, slot)
    const [before = 0n, after = 0n] = seen
    expect(after - before).toBe(sells('2 WETH').wei)
  })

  test('it does see itself', async () => {
    const weth = tokenOf('WETH', bot.config.tokens.bySymbol)
    const seen: bigint[] = []
    const look = ({ balances }: Context<unknown>) => {
      seen.push(held(balances, weth).wei)
      return postpone('only looks')
    }
    const plain = calendar('plain', look)
    const keeper = calendar('keeper', look, { reserves: () => [sells('2 WETH')] })
    await asking([plain])(plain, slot)
    await asking([keeper])(keeper, slot)
    expect(seen[0]).toBe(seen[1])
  })
})
