import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, parse } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commands } from '../../src/cli/commands.ts'
import { goodYaml } from '../config/goodYaml.ts'
import { december, openMonth } from '../story/month/tradedMonth.ts'
import { callCli } from './callCli.ts'
import { expectGolden } from './expectGolden.ts'

// What a person reads, as a whole and at 80 columns. The facts are held by `--json` in the tests of each command.

let cwd: string
let settled: string
beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'ballast-golden-'))
  writeFileSync(join(cwd, 'ballast.yaml'), goodYaml)
  const { journal, decide, sell, lock } = await openMonth(cwd)
  await journal.locks.release({ id: lock.id, reason: 'the node is back' })
  const slot = Date.UTC(2026, 11, 1, 9)
  await decide(slot, '2948.15')
  await decide(slot + 5_000, '3000')
  const [indicated, decided, firm] = ['3000', '3001', '3000.5']
  settled = await sell({ slot, indicated, decided, firm, received: '3000.4' })
  await journal.locks.open({
    ...{ kind: 'pause', scope: 'strategy sell-strength', code: 'BY_OPERATOR' },
    ...{ reason: 'a look first', expiresAt: undefined },
  })
  await journal.shut()
})
afterAll(() => rmSync(cwd, { recursive: true }))

const calls: readonly (readonly [file: string, call: () => readonly string[]])[] = [
  ['status', () => ['status']],
  ['history', () => ['history']],
  ['history-attempts', () => ['history', '--attempts']],
  ['history-swap', () => ['history', settled]],
  ['explain-swap', () => ['explain', settled]],
  ['explain-strategy', () => ['explain', 'sell-strength']],
  ['report', () => ['report']],
  ['report-month', () => ['report', '--month', '2026-11']],
  ['config-check', () => ['config', 'check']],
  ['config-show', () => ['config', 'show']],
  ['config-init-list', () => ['config', 'init', '--list']],
  ['audit-verify', () => ['audit', 'verify']],
  ['export-swaps', () => ['export', '--what', 'swaps']],
  ['export-ledger', () => ['export', '--what', 'ledger']],
  ['export-journal', () => ['export', '--what', 'journal']],
  ['export-lots', () => ['export', '--what', 'lots']],
  ['completion', () => ['completion', 'bash']],
  ['help', () => ['--help']],
  ['help-config', () => ['config', '--help']],
  ['help-config-check', () => ['config', 'check', '--help']],
]

test.each(calls)('%s', async (file, call) => {
  const clock = { now: () => december + 10 * 3_600_000, sleep: async () => {} }
  await expectGolden(file, await callCli(call(), { cwd, columns: 80, clock }), { folder: cwd })
})

describe('golden files', () => {
  const files = readdirSync(join(import.meta.dirname, 'golden')).map((file) => parse(file).name)

  test('every command has one: expectGolden writes it', () => {
    const without = commands.filter(
      ({ name }) => !files.some((file) => file === name || file.startsWith(`${name}-`)),
    )
    expect(without.map(({ name }) => name)).toEqual([])
  })

  test('every one is held by a test that names it: take away what none does', () => {
    const tests = globSync('test/**/*.test.ts').map((file) => readFileSync(file, 'utf8'))
    const isNamed = (file: string) =>
      tests.some((text) => text.includes(`'${file}'`) || text.includes(`\n  ${file}: [`))
    expect(files.filter((file) => !isNamed(file))).toEqual([])
  })
})
