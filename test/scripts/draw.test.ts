import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { idsIn } from '../faults/idsIn.ts'
import { leftOut, seedOf, stories, suites, textsOut } from '../support/draw.ts'

const names = ['a', 'b', 'c', 'd', 'e']

test('a draw leaves out two thirds, rounded down, and the same ones for the same seed', () => {
  expect(leftOut(names, '7').size).toBe(3)
  expect(leftOut(['a', 'b', 'c'], '7').size).toBe(2)
  expect(leftOut([...names].reverse(), '7')).toEqual(leftOut(names, '7'))
  expect(leftOut(['alone'], '7').size).toBe(0)
})

test('other seeds leave out others: in time every one is run', () => {
  const draws = Array.from({ length: 40 }, (_, seed) => leftOut(names, String(seed)))
  for (const name of names) {
    expect(draws.some((draw) => draw.has(name))).toBe(true)
    expect(draws.some((draw) => !draw.has(name))).toBe(true)
  }
})

test('a seed is taken as it is; without one it is another each time', () => {
  expect(seedOf('7')).toBe('7')
  expect(seedOf('')).toMatch(/^\d+$/)
  expect(seedOf(undefined)).not.toBe(seedOf(undefined))
})

test('each listed file is there, and listed once', () => {
  const files = new Set(globSync('test/**/*.test.ts'))
  const listed = [...suites, ...stories]
  expect(listed.filter((file) => !files.has(file))).toEqual([])
  expect(new Set(listed).size).toBe(listed.length)
})

test('rows of the fault matrix that files left out would hit count as left out, not as missed', () => {
  const rows = (...files: string[]) => textsOut(files).flatMap(idsIn)
  expect(rows('test/e2e/crash.test.ts')).toEqual(['LOCAL-07', 'LOCAL-08'])
  expect(rows('test/hostile/outside.test.ts')).toContain('RPC-14')
  expect(rows('test/hostile/quote.test.ts')).toContain('API-22')
  expect(rows('test/e2e/keys.test.ts')).toEqual([])
})

/** What vitest prints, in a process of its own, where npm runs a script of this name. */
async function vitest(script: string, ...args: readonly string[]): Promise<string> {
  const { VITEST: _, ...env } = process.env
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', ...args],
    {
      env: { ...env, npm_lifecycle_event: script, DRAW: '7', NO_COLOR: '1' },
      maxBuffer: 2 ** 26,
    },
  )
  return stdout
}

test('npm test leaves the files of its draw out, and no other script does', async () => {
  const among = async (script: string) => {
    const listed = await vitest(script, 'list', '--filesOnly')
    return stories.filter((file) => listed.includes(file))
  }
  const out = leftOut(stories, '7')
  expect(await among('test')).toEqual(stories.filter((file) => !out.has(file)))
  expect(await among('test:all')).toEqual(stories)
})

test('npm test leaves two thirds of the tests of a long suite out, and says how to have them all', async () => {
  const printed = await vitest('test', 'run', 'test/bot/schedule/rareFolds.test.ts')
  expect(printed).toContain('The same again: DRAW=7 npm test; all of them: npm run test:all.')
  const counts = /^(\d+) tests of long suites[\s\S]*^(\d+) passed, 0 failed, (\d+) skipped$/m
  const [left, passed, skipped] = counts.exec(printed)?.slice(1) ?? []
  expect(left).toBe(skipped)
  expect(Number(passed)).toBe(Math.ceil((Number(left) + Number(passed)) / 3))
})
