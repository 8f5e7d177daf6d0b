import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { commands } from '../../src/cli/commands.ts'
import { columnsOf, table, wrapLines } from '../../src/core/textLayout.ts'
import { goodYaml } from '../config/goodYaml.ts'
import { callCli } from './callCli.ts'
import { openTraded } from './tradedJournal.ts'

let cwd: string
beforeEach(() => {
  // A short path: one that is longer than a line stays whole, to be copied.
  cwd = mkdtempSync('/tmp/b-')
})
afterEach(() => rmSync(cwd, { recursive: true }))

const longName = 'sell-strength-of-the-treasury-on-every-other-day-of-the-week'
const whole = '1'.padEnd(72, '5')
const most = `${whole}.639935`
const hostile = `${'宽'.repeat(90)} \u001b[2J${'x'.repeat(300)} ${'SETTLED of everything '.repeat(12)}`

async function trade() {
  writeFileSync(
    join(cwd, 'ballast.yaml'),
    goodYaml.replace('name: sell-strength', `name: ${longName}`),
  )
  const { journal, sell, decide } = await openTraded(cwd)
  const slot = Date.UTC(2026, 10, 20, 9)
  await decide(slot, '2948.15')
  await decide(slot + 60_000, '3000')
  const sale = { slot, strategy: longName, indicated: most, decided: most, firm: most }
  const id = await sell({ ...sale, received: most })
  await sell({ ...sale, slot: slot + 60_000 })
  await journal.locks.open({
    ...{ kind: 'pause', scope: `strategy ${longName}`, code: 'BY_OPERATOR' },
    ...{ reason: hostile, expiresAt: undefined },
  })
  await journal.slots.close({
    ...{ strategy: longName, slot: Date.now() - 60_000, upto: Date.now(), slots: 2, calendar: '' },
    ...{ state: 'missed', reason: hostile },
  })
  await journal.shut()
  return id
}

const tooLong = (text: string) => text.split('\n').filter((line) => columnsOf(line) > 80)

test('every command that only reads keeps to eighty columns, whatever the journal holds', async () => {
  const id = await trade()
  const calls = [
    ['status'],
    ['history'],
    ['history', '--attempts'],
    ['history', id],
    ['explain', id],
    ['explain', longName],
    ['report'],
    ['plan', '--next', '1d'],
    ['plan', '--next', '1h', '--all'],
    ['config', 'check'],
    ['config', 'show'],
    ['audit', 'verify'],
    ['reconcile'],
    ['doctor'],
    ['dry-run'],
    ['replay', '--synthetic', 'seed=7,days=1,every=600s'],
    [
      'replay',
      '--synthetic',
      'seed=7,days=1,every=600s',
      '--grid',
      `${longName}.price=2950 USDC,3100 USDC`,
    ],
    ['config', 'init', '--list'],
  ]
  for (const call of calls) {
    const { stdout } = await callCli(call, { cwd, columns: 80 })
    expect(tooLong(stdout), call.join(' ')).toEqual([])
    // What must be found again, or copied, is in one piece.
    if (call[0] === 'history') expect(stdout.replace(/\s+/g, ''), call.join(' ')).toContain(whole)
    if (call[1] === id) expect(stdout).toContain(id)
  }
  const { stdout: wide } = await callCli(['status'], { cwd, columns: 200 })
  expect(tooLong(wide)).not.toEqual([])
})

test.for(commands)('$name --help keeps to eighty columns', async ({ name, load }) => {
  const { command } = await load()
  const calls = 'commands' in command ? command.commands.map((leaf) => [name, leaf.name]) : [[name]]
  for (const words of [...calls, [name], []])
    expect(tooLong((await callCli([...words, '--help'], { cwd, columns: 80 })).stdout)).toEqual([])
})

describe('table', () => {
  const address = '0x5FbDB2315678afecb367f032d93F642f64180aa3'
  const sentence = 'a sentence that is far too long to stand beside all of the others'

  test('breaks sentences in their column', () => {
    const rows = [
      ['check', 'what holds', 'evidence'],
      ['one', sentence, sentence],
    ]
    expect(table(rows, 80)).toBe(
      [
        'check  what holds                           evidence',
        'one    a sentence that is far too long to   a sentence that is far too long to',
        '       stand beside all of the others       stand beside all of the others',
      ].join('\n'),
    )
  })

  test('puts below what has no room beside, and the name of its column with it', () => {
    const hash = `0x${'ab'.repeat(32)}`
    const beside = ['kind', 'nonce', 'sent by the bot at', 'answered at']
    const row = ['swap', '7', '2026-11-20T09:00:00.000Z', '2026-11-20T09:00:00.000Z']
    expect(
      table(
        [
          [...beside, 'hash'],
          [...row, hash],
        ],
        80,
      ),
    ).toBe(
      [
        'kind  nonce  sent by the bot at        answered at',
        '  hash',
        'swap  7      2026-11-20T09:00:00.000Z  2026-11-20T09:00:00.000Z',
        `  ${hash}`,
      ].join('\n'),
    )
  })

  test('a word that is wider than its column goes below, and leaves the other rows as they are', () => {
    const rows = [
      ['router', address, 'is as pinned'],
      ['wallet', sentence, 'is as pinned'],
    ]
    expect(table(rows, 60)).toBe(
      [
        'router                                          is as pinned',
        `  ${address}`,
        'wallet  a sentence that is far too long to      is as pinned',
        '        stand beside all of the others',
      ].join('\n'),
    )
  })

  test('counts a wide character as two columns', () => {
    expect(columnsOf('宽e\u0301')).toBe(3)
    expect(columnsOf('a\tb')).toBe(10)
    expect(
      table([
        ['宽', 'a'],
        ['xy', 'b'],
      ]),
    ).toBe('宽  a\nxy  b')
  })
})

describe('wrapLines', () => {
  test('a call of Ballast is pasted as a whole', () => {
    const call = `ballast recover --config 'a file.yaml' --reason "…"`
    const text = `The wallet is halted, and that is not all. Next: ${call}, which books.`
    expect(
      wrapLines(text, 80)
        .split('\n')
        .some((line) => line.includes(call)),
    ).toBe(true)
  })

  test('a path or an address of the web that is longer than a line stays whole', () => {
    const url = `https://example.test/${'a'.repeat(90)}`
    expect(wrapLines(`It is at ${url} now.`, 80).split('\n')[1]).toBe(`  ${url}`.slice(2))
  })
})
