import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { amountOf } from '#strategy'
import { contextWith } from '#strategy/testing'
import { type Kind, newFiles } from '../../scripts/newFiles.ts'
import { readStrategy } from '../../src/bot/strategy/readStrategy.ts'
import { rules } from '../layers/rules.ts'
import { structure } from '../layers/structure.ts'

const read = (path: string) => readFileSync(path, 'utf8')
const make = (kind: Kind, name = 'buy-low') => newFiles(kind, name, read)
const pathsOf = (kind: Kind) => make(kind).map(({ path }) => path)

/** Rules that a generated file breaks, read with all that it imports by name alone. */
const broken = (kind: Kind) =>
  Object.values({ ...rules, ...structure }).flatMap((rule) =>
    rule(make(kind).filter(({ path }) => !/commands|migrate/.test(path))),
  )

describe('new files', () => {
  test.each(['strategy', 'command', 'migration'] as const)(
    'a %s parses and keeps the rules',
    (kind) => {
      for (const { text } of make(kind)) expect(stripTypeScriptTypes(text)).not.toBe('')
      expect(broken(kind)).toEqual([])
    },
  )

  test('a strategy loads where strategies are isolated, and decides', () => {
    const [file] = make('strategy')
    const path = join(mkdtempSync(join(tmpdir(), 'ballast-new-')), 'buy-low.ts')
    writeFileSync(path, file?.text ?? '')
    const { name, decide } = readStrategy(path)
    const weth = {
      chainId: 1,
      address: `0x${'01'.repeat(20)}`,
      symbol: 'WETH',
      decimals: 18,
    } as const
    const usdc = {
      chainId: 1,
      address: `0x${'02'.repeat(20)}`,
      symbol: 'USDC',
      decimals: 6,
    } as const
    const params = { sell: amountOf(weth, '1'), buy: usdc, every: 3_600, tolerance: 50 }
    expect(name).toBe('buy-low')
    expect(decide(contextWith(params, { indications: [undefined] }))).toEqual({
      kind: 'postpone',
      reason: 'No price for 1 WETH in USDC.',
    })
    const indications = [{ sold: params.sell, bought: amountOf(usdc, '3000'), route: [] }]
    const rich = { indications, balances: [params.sell] }
    expect(decide(contextWith(params, rich))).toMatchObject({
      kind: 'swap',
      intents: [{ floor: amountOf(usdc, '2985') }],
    })
  })

  test('a strategy comes with its test', () => {
    expect(pathsOf('strategy')).toEqual([
      'strategies/buy-low.ts',
      'test/strategies/buy-low.test.ts',
    ])
  })

  test('a command is the last of the list', () => {
    expect(pathsOf('command')).toEqual(['src/cli/buyLow.ts', 'src/cli/commands.ts'])
    const list = make('command')[1]?.text ?? ''
    const entry = /^ {2}entry\('buy-low', '.*', \(\) => import\('\.\/buyLow\.ts'\)\),\n(?=\]\n)/m
    expect(list).toMatch(entry)
    expect(list.replace(entry, '')).toBe(read('src/cli/commands.ts'))
  })

  test('a migration gets the next number, after all others', () => {
    const old = read('src/bot/journal/schema/migrate.ts')
    const numbers = (text: string) =>
      [...text.matchAll(/^ {2}'(\d{4})-/gm)].map(([, one]) => Number(one))
    const list = make('migration')[1]?.text ?? ''
    const before = numbers(old)
    expect(numbers(list)).toEqual([...before, (before.at(-1) ?? 0) + 1])
    expect(list).toContain("import { buyLow } from './migrations/buyLow.ts'\n")
  })

  test('a name that is no name is refused', () => {
    for (const name of ['', 'Buy', '../x', "a'b", 'a--b'])
      expect(() => make('strategy', name)).toThrow('is not a name')
  })
})
