import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { followWallets } from '../../src/config/readWallets.ts'

const entries = (...lines: readonly string[]) =>
  ['chain:', '  name: mainnet', 'wallets:', ...lines.map((line) => `  - ${line}`), ''].join('\n')

/** What a fleet of one and two trades after each text has stood for two seconds. */
function namesAfter(...texts: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'wallets-'))
  const file = join(folder, 'ballast.yaml')
  let now = 0
  const names = followWallets(file, ['one', 'two'], { now: () => now })
  const seen = texts.map((text) => {
    writeFileSync(file, text)
    names()
    now += 2_000
    return names()
  })
  rmSync(folder, { recursive: true })
  return seen
}

test('wallets that leave the file are left, and those that come are named', () => {
  expect(namesAfter(entries('name: one'), entries('name: two', 'name: three'))).toEqual([
    ['one'],
    ['two', 'three'],
  ])
})

test.each([
  ['an empty file', ''],
  ['no YAML', 'wallets: ['],
  ['a list without entries', 'wallets: []\n'],
  ['a list that is not filled yet', 'wallets:\n'],
  ['an entry whose name is misspelt', entries('nme: one', 'name: two')],
  ['one name twice', entries('name: one', 'name: one')],
  ['a chain that is not named', entries('name: one', '{ name: two, chain: base }')],
  ['a file for one wallet', 'wallet:\n  name: one\n'],
])('%s ends the trade of no wallet', (_, text) => {
  expect(namesAfter(text)).toEqual([['one', 'two']])
})
