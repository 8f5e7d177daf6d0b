import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { createPriceWarnings } from '../../../src/app/createPriceWarnings.ts'
import type { Log } from '../../../src/bot/report/createLog.ts'
import type { Context } from '../../../src/bot/strategy/index.ts'
import { checkStrategies } from '../../../src/bot/strategy/load.ts'
import { readStrategy } from '../../../src/bot/strategy/readStrategy.ts'
import { contextWith } from '../../../src/bot/strategy/testing.ts'
import { BallastError } from '../../../src/core/errors.ts'
import type { Token } from '../../../src/core/token.ts'
import { transientBooks } from '../../../src/engine/transientBooks.ts'
import { turn } from '../../../src/engine/turn.ts'

const folder = mkdtempSync(join(tmpdir(), 'answers-'))
afterAll(() => rmSync(folder, { recursive: true }))

type Parts = {
  /** At the top of the file. */
  top?: string
  accounts?: string
  decide?: string
  reserves?: string
  schedule?: string
  params?: string
  watch?: string
  /** More parts, as they are written. */
  more?: string
}

let files = 0
function planted({
  top,
  accounts,
  decide,
  reserves,
  schedule,
  params,
  watch,
  more,
}: Parts): string {
  files += 1
  const file = join(folder, `odd-${files}.ts`)
  const text = `import { type Context, defineStrategy, swap, wait } from '#strategy'
const weth = { chainId: 1, address: '0x${'01'.repeat(20)}', symbol: 'WETH', decimals: 18 }
const usdc = { chainId: 1, address: '0x${'02'.repeat(20)}', symbol: 'USDC', decimals: 6 }
const one = { sell: { token: weth, wei: 1n }, buy: usdc, floor: { token: usdc, wei: 1n }, reason: 'a test' }
${top ?? ''}
export default defineStrategy<object>({
  name: 'odd', summary: 'Answers oddly.', params: (fields) => ${params ?? 'fields.object({})'},
  schedule: () => (${schedule ?? "{ kind: 'every', seconds: 5 }"}), watch: () => (${watch ?? '[]'}),
  ${reserves === undefined ? '' : `reserves: () => (${reserves}),`}
  ${accounts === undefined ? '' : `accounts: () => (${accounts}),`}
  ${more ?? ''}
  decide: (context) => (${decide ?? "wait('a test')"}),
})
`
  writeFileSync(file, text)
  return file
}

const sentenceOf = (act: () => unknown): string => {
  try {
    act()
  } catch (error) {
    if (!(error instanceof BallastError)) throw error
    expect(error).toMatchObject({ code: 'STRATEGY_BROKEN', remedy: 'halt', fault: 'usage' })
    return error.summary.replace(/^strategies\/odd-\d+\.ts(?::\d+)* /, '')
  }
  throw new Error('nothing was refused')
}

const context = contextWith({}) as Context<unknown>

describe('what a strategy answers', () => {
  test.each([
    ['weth', 'the answer is no list of accounts'],
    ['[one]', 'account is no address'],
    [`[{ account: '0x${'ab'.repeat(20)}', token: 'ETH' }]`, 'token is string'],
  ])('accounts %s are refused in a sentence', (accounts, sentence) => {
    const strategy = readStrategy(planted({ accounts }))
    expect(sentenceOf(() => strategy.accounts?.({}))).toContain(`accounts failed: ${sentence}`)
  })

  test.each([
    ['weth', 'the answer.wei is no bigint'],
    ["{ token: 'USDC', wei: 1n }", 'the answer.token is string'],
  ])('spent %s is refused in a sentence', (spent, sentence) => {
    const strategy = readStrategy(planted({ more: `spent: () => (${spent}),` }))
    expect(sentenceOf(() => strategy.spent?.(context))).toContain(`spent failed: ${sentence}`)
  })

  test.each([
    ['undefined', 'the answer is undefined'],
    ['null', 'the answer is null'],
    ["Promise.resolve(wait('later'))", 'the answer is a promise, and has to be there at once'],
    ["{ kind: 'sell' }", "the answer is no decision: write wait('…'), postpone('…') or swap(…)"],
    ["{ kind: 'wait' }", 'wait has no reason'],
    ['swap()', "swap has no intents: write wait('…')"],
    ["{ kind: 'swap' }", "swap has no intents: write wait('…')"],
    ["{ kind: 'swap', intents: new Array(3) }", 'an intent is undefined'],
    ['swap(...Array(101).fill(one))', 'swap has 101 intents, and 100 are the most'],
    ['swap({ ...one, sell: { token: weth, wei: Number.NaN } })', 'sell.wei is no bigint'],
    ['swap({ ...one, sell: { token: weth, wei: 1e18 } })', 'sell.wei is no bigint'],
    ['swap({ ...one, floor: undefined })', 'floor is undefined'],
    ["swap({ ...one, buy: 'USDC' })", 'buy is string'],
    ["swap({ ...one, recipient: '0x01' })", 'recipient is no address'],
    ["swap({ ...one, buy: { ...usdc, address: '0x02' } })", 'buy is no token'],
    ['swap({ ...one, buy: { ...usdc, chainId: 0.5 } })', 'buy is no token'],
    ['swap({ ...one, buy: { ...usdc, decimals: 2 ** 31 } })', 'buy.decimals is no whole number'],
    ['swap({ ...one, buy: { ...usdc, decimals: 256 } })', 'buy.decimals is no whole number'],
    ['swap({ ...one, buy: { ...usdc, decimals: -5 } })', 'buy.decimals is no whole number'],
    [
      'swap({ ...one, sell: { token: { ...weth, decimals: 0.5 }, wei: 1n } })',
      'sell.token.decimals',
    ],
    ["{ ...wait('a test'), memory: { deep: { er: 1 } } }", 'memory.deep is no text, number'],
    ["{ ...wait('a test'), memory: { big: 1n } }", 'memory.big is no text, number'],
    ["{ ...wait('a test'), memory: { not: Number.NaN } }", 'memory.not is no text, number'],
    ["{ ...wait('a test'), memory: 'text' }", 'memory is string'],
    [
      "{ ...wait('a test'), memory: { notes: 'ä'.repeat(32_763) } }",
      'memory takes 65538 bytes, and 65536 are the most',
    ],
    ["wait('a'.repeat(4_001))", 'the reason of wait has 4001 characters, and 4000 are the most'],
    ["{ kind: 'postpone', reason: 'a'.repeat(4_001) }", 'the reason of postpone has 4001'],
    ["swap({ ...one, reason: 'a'.repeat(4_001) })", 'the reason of an intent has 4001 characters'],
    ["swap({ ...one, buy: { ...usdc, symbol: 'U'.repeat(65) } })", 'buy is no token'],
  ])('%s is refused in a sentence', (decide, sentence) => {
    const strategy = readStrategy(planted({ decide }))
    expect(sentenceOf(() => strategy.decide(context))).toContain(`decide failed: ${sentence}`)
  })

  test.each([
    'swap(one)',
    "swap({ ...one, reason: 'a'.repeat(4_000) })",
    "wait('a'.repeat(4_000))",
    "{ ...wait('a test'), memory: { notes: 'ä'.repeat(32_762) } }",
    "{ ...wait('a test'), memory: { a: 'b', c: 1, d: null, e: false } }",
  ])('%s is passed on', (decide) => {
    expect(readStrategy(planted({ decide })).decide(context)).toMatchObject({ kind: /./ })
  })

  test.each([
    'Object.create(null)',
    "{ get message() { throw new Error('again') } }",
    "Object.defineProperty(new Error('odd'), 'stack', { get() { throw null } })",
    '{ message: Symbol.iterator, stack: Object.create(null) }',
    "new Proxy({}, { getPrototypeOf() { throw new Error('again') } })",
  ])('whatever it throws is one sentence: %s', (thrown) => {
    const strategy = readStrategy(planted({ decide: `(() => { throw ${thrown} })()` }))
    expect(sentenceOf(() => strategy.decide(context))).toBe(
      'decide failed: it threw a value that cannot be read.',
    )
  })

  test.each([
    ['decide: async (context) =>', 'decide'],
    ['reserves: async () =>', 'reserves'],
    ['watch: async () =>', 'watch'],
  ])('one that is async is refused before it runs: %s', (written, part) => {
    const file = planted({ reserves: '[]' })
    const text = readFileSync(file, 'utf8')
    writeFileSync(file, text.replace(written.replace('async ', ''), written))
    expect(sentenceOf(() => readStrategy(file))).toBe(
      `exports a strategy whose ${part} is async: it answers at once, so write it without async.`,
    )
  })

  test('a property that throws keeps the file from being loaded', () => {
    const top = "export default { get name() { throw new Error('not now') } }\nconst other = "
    const file = planted({ top })
    writeFileSync(file, readFileSync(file, 'utf8').replace('other = \nexport default ', 'other = '))
    expect(sentenceOf(() => readStrategy(file))).toBe('cannot be loaded: not now.')
  })

  test('what it keeps and changes later is no part of the decision', () => {
    const top = "const sell = { token: { ...weth, label: 'slice 3' }, wei: 5n }"
    const decide = 'sell.wei += 1n, swap({ ...one, sell, tag: 1 })'
    const strategy = readStrategy(planted({ top, decide: `(${decide})` }))
    const [first, second] = [strategy.decide(context), strategy.decide(context)]
    const wei = [first, second].map((one) => one.kind === 'swap' && one.intents[0]?.sell.wei)
    expect(wei).toEqual([6n, 7n])
    if (first.kind !== 'swap') throw new Error('it swaps')
    const [intent] = first.intents
    expect(Object.keys(intent ?? {})).toEqual(['sell', 'buy', 'floor', 'reason'])
    expect(Object.keys(intent?.sell.token ?? {})).not.toContain('label')
    for (const part of [first, first.intents, intent, intent?.sell, intent?.sell.token])
      expect(Object.isFrozen(part)).toBe(true)
  })

  test('it cannot keep anything on itself', () => {
    const decide = '(this.count = 1, wait())'
    const file = planted({ decide })
    writeFileSync(
      file,
      readFileSync(file, 'utf8')
        .replace('decide: (context) =>', 'decide() { return')
        .replace(/\)\),\n\}\)/, ')) },\n})'),
    )
    expect(sentenceOf(() => readStrategy(file).decide(context))).toContain('not extensible')
  })

  test('one that sorts the balances of its context fails in every world', async () => {
    const unused = async () => {
      throw new Error('it has decided')
    }
    const world = {
      isStopping: () => false,
      look: async () => ({ ...context, balances: [] }),
      ...{ admit: unused, carryOut: unused },
      books: transientBooks(unused),
    }
    const file = planted({ decide: "(context.balances.push(one.sell), wait('a test'))" })
    const strategy = readStrategy(file)
    const schedule = { kind: 'every', seconds: 5 } as const
    const loaded = { name: 'odd', strategy, params: {}, schedule, watches: [], priority: 0 }
    await expect(turn(world, { loaded, slot: 0 })).rejects.toMatchObject({
      code: 'STRATEGY_BROKEN',
      summary: expect.stringContaining('object is not extensible'),
    })
  })

  test.each([
    ['[{ token: weth, wei: -1n }]', 'the answer is no list of amounts, each of nothing or more.'],
    ['[{ token: weth, wei: 1 }]', 'an amount.wei is no bigint.'],
    ['[{ token: null, wei: 1n }]', 'an amount.token is null.'],
    ['[{ token: {}, wei: 1n }]', 'an amount.token is no token.'],
    [
      '[{ token: { ...weth, decimals: -1 }, wei: 1n }]',
      'an amount.token.decimals is no whole number from 0 to 255.',
    ],
    ['[undefined]', 'an amount is undefined.'],
    ['new Array(1)', 'an amount is undefined.'],
    ['undefined', 'the answer is no list of amounts.'],
  ])('%s cannot be kept from others', (reserves, sentence) => {
    const strategy = readStrategy(planted({ reserves }))
    const own = {
      ...{ inflight: [], fills: [], totals: [], lastFill: undefined },
      ...{ params: {}, now: 0, memory: undefined },
    }
    expect(sentenceOf(() => strategy.reserves?.(own))).toBe(`reserves failed: ${sentence}`)
  })
})

describe('what a strategy tells beside its decisions', () => {
  const odd = '{ token: { ...weth, decimals: -5 }, wei: 1n }'
  test.each([
    ['typicalSwaps', 'undefined', 'the answer is no list of swaps.'],
    ['typicalSwaps', '[{ ...one, sell: null }]', 'sell is null.'],
    ['typicalSwaps', "[{ ...one, buy: 'USDC' }]", 'buy is string.'],
    ['typicalSwaps', "[{ ...one, recipient: '0x01' }]", 'recipient is no address.'],
    [
      'typicalSwaps',
      `[{ ...one, price: { sold: one.sell, bought: ${odd} } }]`,
      'price.bought.token.decimals is no whole number from 0 to 255.',
    ],
    ['typicalSwaps', '[{ ...one, market: 1 }]', 'market is number.'],
    ['weighs', 'weth', 'the answer is no list of tokens.'],
    ['weighs', "['WETH']", 'a token is string.'],
    ['targets', '[weth]', 'share or band is no bigint.'],
    ['targets', '[{ token: weth, share: 1n, band: 0n }]', 'the answer is no list of amounts.'],
    [
      'targets',
      `[{ token: weth, share: 1n, band: 0n, parts: [${odd}] }]`,
      'a part.token.decimals is no whole number from 0 to 255.',
    ],
  ] as const)('%s %s is refused in a sentence', (part, answer, sentence) => {
    const strategy = readStrategy(planted({ more: `${part}: () => (${answer}),` }))
    const call = strategy[part] as (given: unknown) => unknown
    expect(sentenceOf(() => call({}))).toBe(`${part} failed: ${sentence}`)
  })

  test('a symbol of 64 characters is the longest', () => {
    const more = `weighs: () => [{ ...usdc, symbol: 'U'.repeat(64) }],`
    expect(readStrategy(planted({ more })).weighs?.({})).toMatchObject([{ symbol: 'U'.repeat(64) }])
  })

  test('a price of the parameters is passed on as that', () => {
    const more = 'typicalSwaps: ({ params: price }) => [{ ...one, price }],'
    const strategy = readStrategy(planted({ more }))
    const token = { chainId: 1, address: `0x${'01'.repeat(20)}`, symbol: 'A', decimals: 0 } as const
    const params = { sold: { token, wei: 1n }, bought: { token, wei: 2n } }
    const [swap] = strategy.typicalSwaps?.({ params, swapLimits: [] }) ?? []
    expect(swap?.price).toBe(params)
  })

  test.each([
    `[{ ...one, price: { sold: one.sell, bought: { token: { ...usdc, decimals: -5 }, wei: 1n } } }]`,
    '(() => { throw Object.create(null) })()',
  ])('the look of a bot that trades goes on: %s', (answer) => {
    const strategy = readStrategy(planted({ more: `typicalSwaps: () => ${answer},` }))
    const schedule = { kind: 'every', seconds: 5 } as const
    const loaded = { name: 'odd', strategy, params: {}, schedule, watches: [], priority: 0 }
    const warnings: string[] = []
    const log = { warn: (_facts: object, sentence: string) => warnings.push(sentence) }
    const [weth, usdc] = ['01', '02'].map((byte, index) => ({
      ...{ chainId: 1, address: `0x${byte.repeat(20)}` as const, symbol: `T${index}` },
      decimals: 18,
    })) as [Token, Token]
    const price = { sold: { token: weth, wei: 1n }, bought: { token: usdc, wei: 9n } }
    const seen = { ...context, indications: [{ ...price, route: [] }], references: [price] }
    createPriceWarnings(log as unknown as Log)({ loaded, context: seen, swapLimits: [] })
    expect(warnings).toEqual([expect.stringContaining('typicalSwaps failed: ')])
  })
})

describe('what a strategy is configured with', () => {
  const problemsOf = (parts: Parts) => {
    const use = planted(parts).split('/').at(-1)?.replace(/\.ts$/, '') as string
    const strategies = [
      { name: 'odd', use, params: {}, path: ['strategies', 0, 'params'], priority: 0 },
    ]
    return checkStrategies(
      { file: '/treasury/ballast.yaml', tokens: { bySymbol: new Map() }, strategies },
      folder,
    ).problems.map(({ sentence }) => sentence.replace(/odd-\d+\.ts(?::\d+)*/, 'odd.ts'))
  }

  test('a rule that throws is a problem with a sentence', () => {
    const params =
      "fields.check(fields.object({ a: fields.optional(fields.count) }), { a: () => { throw new Error('a portfolio has assets') } })"
    expect(problemsOf({ params })).toEqual([
      'strategies/odd.ts its parameters failed: a portfolio has assets.',
    ])
  })

  test.each(['0', '-5', '0.5', 'Number.NaN', "'5'"])('a period of %s s is refused', (seconds) => {
    expect(problemsOf({ schedule: `{ kind: 'every', seconds: ${seconds} }` })).toEqual([
      'strategies/odd.ts schedule failed: every takes whole seconds, one or more.',
    ])
  })

  const daily = "kind: 'cron', expression: '0 9 * * *', timeZone: 'UTC'"
  test.each([
    ['undefined', 'the answer is undefined.'],
    ["{ kind: 'hourly' }", "the answer is no schedule: its kind is 'every' or 'cron'."],
    ["{ kind: 'cron', timeZone: 'UTC' }", 'cron takes an expression, as text.'],
    ["{ kind: 'cron', expression: '0 9 * * *' }", 'cron takes a timeZone, as text.'],
    [`{ ${daily}, jitter: Number.NaN }`, 'jitter is no whole number, 0 or more.'],
    [`{ ${daily}, late: -5 }`, 'late is no whole number, 0 or more.'],
    [`{ ${daily}, makeUp: 1.5 }`, 'makeUp is no whole number, 0 or more.'],
    ["{ kind: 'every', seconds: 5, jitter: -1 }", 'jitter is no whole number, 0 or more.'],
  ])('a schedule of %s is refused', (schedule, sentence) => {
    expect(problemsOf({ schedule })).toEqual([`strategies/odd.ts schedule failed: ${sentence}`])
  })

  test.each([
    [`{ ${daily.replace('0 9', '')} }`, 'is not a schedule'],
    [`{ ${daily.replace('9 * * *', '0 30 2 *')} }`, 'is not a schedule'],
    [`{ ${daily.replace('UTC', 'Europe/Zurik')} }`, 'is not a time zone'],
  ])('a calendar of %s is refused', (schedule, words) => {
    expect(problemsOf({ schedule })).toEqual([expect.stringContaining(words)])
  })

  test.each([
    ['weth', 'the answer is no list of watches.'],
    ['[{ sell: one.sell }]', 'buy is undefined.'],
    [
      "[{ sell: one.sell, buy: usdc, wants: 'depth' }]",
      "wants is no list of 'depth' and 'reference'.",
    ],
    ['[{ sell: { token: weth, wei: 1 }, buy: usdc }]', 'sell.wei is no bigint.'],
  ])('watches of %s are refused', (watch, sentence) => {
    expect(problemsOf({ watch })).toEqual([`strategies/odd.ts watch failed: ${sentence}`])
  })
})
