import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compileFunction, constants, createContext } from 'node:vm'
import { afterAll, describe, expect, test, vi } from 'vitest'
import type { Context } from '../../../src/bot/strategy/index.ts'
import { isolate } from '../../../src/bot/strategy/isolate.ts'
import { readStrategy } from '../../../src/bot/strategy/readStrategy.ts'
import { contextWith } from '../../../src/bot/strategy/testing.ts'
import { BallastError } from '../../../src/core/errors.ts'
import threshold from '../../../strategies/threshold.ts'

vi.mock('node:vm', async (original) => {
  const real = await original<typeof import('node:vm')>()
  return {
    ...real,
    compileFunction: vi.fn(real.compileFunction),
    createContext: vi.fn(real.createContext),
  }
})

const folder = mkdtempSync(join(tmpdir(), 'isolate-'))
afterAll(() => rmSync(folder, { recursive: true }))

let files = 0
function planted(text: string): { readonly file: string; readonly name: string } {
  files += 1
  const name = `planted-${files}`
  const file = join(folder, `${name}.ts`)
  writeFileSync(file, text)
  return { file, name }
}

/** A strategy whose `decide` is this expression, on line 9 in column 23. */
const deciding = (expression: string, before = '') => `import {
  type Context,
  defineStrategy,
  wait as pause,
} from '#strategy'
${before}
export default defineStrategy<object>({
  name: 'planted', summary: 'Reaches out.', params: (fields) => fields.object({}),
  decide: (context) => (${expression}),
  schedule: () => ({ kind: 'every', seconds: 5 }), watch: () => [],
})
`

const sentenceOf = (act: () => unknown): string => {
  try {
    act()
  } catch (error) {
    if (!(error instanceof BallastError)) throw error
    expect(error).toMatchObject({ remedy: 'halt', fault: 'usage' })
    return error.summary
  }
  throw new Error('nothing was refused')
}

const context = contextWith({}) as Context<unknown>

describe('isolate', () => {
  test('a strategy decides as it would without', () => {
    const { file } = planted(deciding('pause(String(BigInt(context.now) + 1n))'))
    expect(readStrategy(file).decide(context)).toEqual({
      kind: 'wait',
      reason: String(context.now + 1),
    })
  })

  test('an instant that it was given can be read and printed', () => {
    const { file } = planted(
      deciding(
        "pause([new Date(context.slot).toISOString(), Date.UTC(2026), Date.parse('2026-01-01'), new Date(0) instanceof Date].join())",
      ),
    )
    expect(readStrategy(file).decide(context)).toMatchObject({
      reason: '2026-01-01T00:00:00.000Z,1767225600000,1767225600000,true',
    })
  })

  const alone = 'is not there for a strategy: it decides from its context alone.'
  test.each([
    ['process.env.WALLET_KEY', 'process'],
    ["fetch('http://127.0.0.1:1')", 'fetch'],
    ["globalThis['fe' + 'tch']('http://127.0.0.1:1')", 'fetch'],
    ['Date.now()', 'Date.now'],
    ['new Date()', 'the time'],
    ['Date()', 'the time'],
    ['new (class extends Date {})()', 'the time'],
    ["new Intl.DateTimeFormat('en').format()", 'the time'],
    ["new Intl.DateTimeFormat('en').formatToParts()", 'the time'],
    ['Math.random()', 'Math.random'],
    ["require('node:fs')", 'require'],
    ['setTimeout(() => 1, 1)', 'setTimeout'],
    ['performance.now()', 'performance'],
    ['crypto.randomUUID()', 'crypto'],
    ["new WebSocket('ws://127.0.0.1:1')", 'WebSocket'],
    ["console.log('x')", 'console'],
    ["eval('1')", 'eval'],
    ["Function('return 1')()", 'Function'],
    ['new WebAssembly.Module(new Uint8Array())', 'WebAssembly'],
    ['new SharedArrayBuffer(8)', 'SharedArrayBuffer'],
    ['Buffer.from([])', 'Buffer'],
  ])('%s is refused where it is asked for, by its name', (expression, name) => {
    const { file, name: own } = planted(deciding(expression))
    const strategy = readStrategy(file)
    expect(sentenceOf(() => strategy.decide(context))).toMatch(
      new RegExp(`^strategies/${own}\\.ts:9:\\d+ decide failed: ${name} ${alone}$`),
    )
  })

  test.each([
    ['(() => 1).constructor("return process")()', 'Code generation from strings disallowed'],
    ['(globalThis.shared = 1)', 'object is not extensible'],
    ['(pause.count = 1)', 'object is not extensible'],
    ['(context.now = 1)', 'read only property'],
    ['nowhere.at.all', 'nowhere is not defined'],
  ])('%s is refused', (expression, reason) => {
    const { file } = planted(deciding(expression))
    const frozen = Object.freeze({ ...context })
    expect(sentenceOf(() => readStrategy(file).decide(frozen))).toContain(reason)
  })

  test.each([
    ['const key = process.env.WALLET_KEY', ':6:13 cannot be loaded: process is not there'],
    [
      "import { readFileSync } from 'node:fs'",
      "line 6 is 'import { readFileSync } from 'node:fs''",
    ],
    ["import './other.ts'", "line 6 is 'import './other.ts'': a strategy imports { names }"],
    ['export const two = 2', "line 6 is 'export const two = 2'"],
    ['let bought = 0n', "line 6 is 'let bought = 0n': plans and other wallets run the same file"],
    ['var done', "line 6 is 'var done': plans and other wallets run the same file"],
    ["import { swop } from '#strategy'", '#strategy has no swop; did you mean swap?'],
    ['const half = (', 'cannot be loaded: '],
    ['enum Side { Bid }', 'cannot be loaded: '],
    ['await 1', 'cannot be loaded: '],
  ])('%s keeps the file from being loaded', (line, reason) => {
    const { file, name } = planted(deciding('pause("x")', line))
    const sentence = sentenceOf(() => readStrategy(file))
    expect(sentence).toMatch(new RegExp(`^strategies/${name}\\.ts`))
    expect(sentence).toContain(reason)
  })

  test('import() finds no module', async () => {
    const text = "export default { load: () => import('node:fs') }"
    const { load } = isolate(text, { file: '/a.ts' }) as { load: () => Promise<unknown> }
    await expect(load()).rejects.toMatchObject({ code: 'ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING' })
  })

  test('what the bot itself throws keeps its code', () => {
    const { file } = planted(
      deciding(
        'amountOf({ symbol: "X", decimals: 2 }, "1.234")',
        "import { amountOf } from '#strategy'",
      ),
    )
    expect(() => readStrategy(file).decide(context)).toThrow(
      expect.objectContaining({ code: 'TOO_MANY_DECIMALS' }),
    )
  })

  test('places in a stack are those of the file', () => {
    const { file } = planted(deciding('pause((null as never as Context<object>).now.toString())'))
    const error = (() => {
      try {
        return readStrategy(file).decide(context)
      } catch (cause) {
        return (cause as Error).cause as Error
      }
    })() as Error
    expect(error.stack).toContain(`${file}:9:`)
  })

  test.each([
    'held.name = pause("x")',
    'band.rules = {}',
    'band.rules.priceMin = undefined',
    'delete calendar.rules.end',
  ])('a strategy changes #strategy for no other: %s', (expression) => {
    const { file } = planted(
      deciding(expression, "import { band, calendar, held } from '#strategy'"),
    )
    expect(sentenceOf(() => readStrategy(file).decide(context))).toMatch(
      /Cannot (?:assign to read only|delete) property/,
    )
  })

  test('code that changed under a running process is not run', () => {
    const { file, name } = planted(deciding('pause("first")'))
    readStrategy(file)
    writeFileSync(file, deciding('pause("second")'))
    expect(sentenceOf(() => readStrategy(file))).toBe(
      `strategies/${name}.ts has changed since this process loaded it: restart to run the new text, or put the old one back.`,
    )
  })

  test('it costs nothing: a decision copies no context and compiles nothing', () => {
    const token = {
      chainId: 1,
      address: `0x${'01'.repeat(20)}`,
      symbol: 'WETH',
      decimals: 18,
    } as const
    const sell = { token, wei: 10n ** 18n }
    const buy = { ...token, address: `0x${'02'.repeat(20)}`, symbol: 'USDC' } as const
    const price = { sold: sell, bought: { token: buy, wei: 3_000n } }
    const isolated = readStrategy(join(import.meta.dirname, '../../../strategies/threshold.ts'))
    const asked = contextWith(
      { sell, buy, price, every: 5 },
      { indications: [{ ...price, route: [] }], balances: [sell] },
    )
    expect(isolated.decide(asked as never)).toEqual(threshold.decide(asked))
    // The figure itself, decisions in a second, is of `npm run bench:strategy`.
    const readsOf = (strategy: { decide(context: never): unknown }) => {
      let reads = 0
      const watched = <value>(value: value): value =>
        typeof value !== 'object' || value === null
          ? value
          : new Proxy(value, {
              get(target, name) {
                reads += 1
                return watched(Reflect.get(target, name))
              },
              ownKeys(target) {
                reads += 1
                return Reflect.ownKeys(target)
              },
            })
      strategy.decide(watched(asked) as never)
      return reads
    }
    const worlds = vi.mocked(createContext).mock.calls
    const compiled = vi.mocked(compileFunction).mock.calls
    const before = [worlds.length, compiled.length]
    const plain = readsOf(threshold)
    expect(plain).toBeGreaterThan(0)
    // Its answer is checked, and holds a few amounts of the context.
    expect(readsOf(isolated) - plain).toBeLessThan(plain / 4)
    expect([worlds.length, compiled.length]).toEqual(before)
    // Any other world makes each look at `BigInt` or `Math` sixteen times as slow.
    expect(new Set(worlds.map(([world]) => world))).toEqual(new Set([constants.DONT_CONTEXTIFY]))
  })
})
