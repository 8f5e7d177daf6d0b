import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { interfaceVersion } from '../../../src/bot/strategy/interfaceVersion.ts'
import { checkStrategies } from '../../../src/bot/strategy/load.ts'
import { strategyUse } from '../../../src/config/config.ts'

const home = realpathSync(mkdtempSync(join(tmpdir(), 'strategy-file-')))
const folder = join(home, 'treasury')
const text = (parts = '') => `import { defineStrategy, wait } from '#strategy'
export default defineStrategy<object>({
  name: 'mine', summary: 'Waits.', ${parts}
  params: (fields) => fields.object({}),
  schedule: () => ({ kind: 'every', seconds: 5 }),
  watch: () => [],
  decide: () => wait('a test'),
})
`
const plant = (name: string, content: string) => writeFileSync(join(home, name), content)

beforeAll(() => {
  mkdirSync(join(folder, 'mine'), { recursive: true })
  mkdirSync(join(folder, 'folder.ts'))
  mkdirSync(join(folder, 'open'))
  plant('treasury/mine/strategy.ts', text())
  plant('treasury/mine/plain.js', text().replace('<object>', ''))
  plant('treasury/open/strategy.ts', text())
  plant('treasury/writable.ts', text())
  plant('treasury/newer.ts', text("writtenFor: '2.0.0',"))
  plant('treasury/later.ts', text("writtenFor: '1.99.0',").replace(', wait', ', wait, later'))
  plant('treasury/odd.ts', "export default { name: 'odd', summary: 'No decide.' }\n")
  plant('treasury/none.ts', 'export default 7\n')
  plant('treasury/throws.ts', text().replace("wait('a test')", 'nowhere'))
  plant('treasury/asks.ts', text().replace('fields.object({})', 'process.env'))
  plant('outside.ts', text())
  symlinkSync(join(home, 'outside.ts'), join(folder, 'link.ts'))
  symlinkSync(join(folder, 'mine/strategy.ts'), join(folder, 'open/linked.ts'))
  chmodSync(join(folder, 'writable.ts'), 0o666)
  chmodSync(join(folder, 'open'), 0o777)
})
afterAll(() => rmSync(home, { recursive: true }))

const check = (use: string) =>
  checkStrategies({
    file: join(folder, 'ballast.yaml'),
    tokens: { bySymbol: new Map() },
    strategies: [{ name: 'mine', use, params: {}, path: ['strategies', 0, 'params'], priority: 0 }],
  })
const sentenceOf = (use: string) => {
  const { problems, loaded } = check(use)
  expect(loaded).toEqual([])
  expect(problems).toEqual([{ path: ['strategies', 0, 'use'], sentence: expect.any(String) }])
  return problems[0]?.sentence
}

describe('a strategy by its path', () => {
  test.each([
    './mine/strategy.ts',
    './mine/plain.js',
    './mine/../mine/strategy.ts',
    '../outside.ts',
    join(folder, 'mine/strategy.ts'),
  ])('%s is loaded, seen from the configuration', (use) => {
    const { problems, loaded } = check(use)
    expect(problems).toEqual([])
    expect(loaded).toMatchObject([{ name: 'mine', strategy: { name: 'mine', summary: 'Waits.' } }])
  })

  test.each([
    [
      './mine/stratgy.ts',
      `there is no ./mine/stratgy.ts, seen from the configuration: that would be ${folder}/mine/stratgy.ts.`,
    ],
    ['./folder.ts', './folder.ts is no .ts or .js file: write the path of one.'],
    ['/etc/passwd', '/etc/passwd is no .ts or .js file: write the path of one.'],
    [
      './link.ts',
      `./link.ts leads to ${home}/outside.ts, outside of the folder of the configuration: write that path, or ../, if that is meant.`,
    ],
    [
      './mine/../../outside.ts',
      `./mine/../../outside.ts leads to ${home}/outside.ts, outside of the folder of the configuration: write that path, or ../, if that is meant.`,
    ],
    [
      './writable.ts',
      `./writable.ts may be changed by every account of this machine, and it decides about money: run chmod o-w ${folder}/writable.ts`,
    ],
    [
      './open/linked.ts',
      `./open/linked.ts may be changed by every account of this machine, and it decides about money: run chmod o-w ${folder}/open`,
    ],
    [
      './open/strategy.ts',
      `./open/strategy.ts may be changed by every account of this machine, and it decides about money: run chmod o-w ${folder}/open`,
    ],
    [
      './newer.ts',
      `./newer.ts is written for version 2.0.0 of #strategy, and this bot has ${interfaceVersion}: another first number is another interface, so adapt the file or run the bot that it was written for.`,
    ],
    [
      // The version goes first: the name that it imports is not there yet.
      './later.ts',
      `./later.ts is written for version 1.99.0 of #strategy, and this bot has ${interfaceVersion}: a newer bot runs it.`,
    ],
    ['./odd.ts', './odd.ts exports a strategy whose params is missing: params is a function.'],
    [
      './none.ts',
      "./none.ts does not export a strategy: write 'export default defineStrategy({ … })'.",
    ],
    [
      './asks.ts',
      './asks.ts:4:31 params failed: process is not there for a strategy: it decides from its context alone.',
    ],
  ])('%s is refused in one sentence', (use, sentence) => {
    expect(sentenceOf(use)).toBe(sentence)
  })

  test('an error while it decides names the path as it is written', () => {
    const [loaded] = check('./throws.ts').loaded
    expect(() => loaded?.strategy.decide({} as never)).toThrow(
      './throws.ts:7:17 decide failed: nowhere is not defined.',
    )
  })

  test('a changed file needs a restart', () => {
    const file = join(folder, 'mine', 'changing.ts')
    writeFileSync(file, text())
    expect(check('./mine/changing.ts').problems).toEqual([])
    writeFileSync(file, text().replace('Waits.', 'Waits longer.'))
    expect(sentenceOf('./mine/changing.ts')).toBe(
      './mine/changing.ts has changed since this process loaded it: restart to run the new text, or put the old one back.',
    )
  })
})

test.each(['./a.ts', '../a/b.js', '/a/b c.ts', 'threshold'])('%s may be written', (use) => {
  expect(use).toMatch(strategyUse)
})

test.each(['a/b.ts', './a', './a.mjs', './.ts/', '.../a.ts', '~/a.ts', 'file:///a.ts', './a\n.ts'])(
  '%o may not be written',
  (use) => {
    expect(use).not.toMatch(strategyUse)
  },
)
