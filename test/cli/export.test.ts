import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { nativeAddress } from '../../src/core/token.ts'
import { csvLine } from '../../src/story/export/writeRows.ts'
import { goodYaml } from '../config/goodYaml.ts'
import { callCli } from './callCli.ts'
import { openTraded } from './tradedJournal.ts'

let cwd: string
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ballast-export-'))
  writeFileSync(join(cwd, 'ballast.yaml'), goodYaml)
})
afterEach(() => rmSync(cwd, { recursive: true }))

const exported = (...args: string[]) => callCli(['export', ...args], { cwd })
const slot = Date.UTC(2026, 10, 20, 9)
const sale = { slot, indicated: '3000', decided: '3001', firm: '3000.5', received: '3000.25' }

/** RFC 4180, strictly: anything else throws. */
function readCsv(text: string): readonly Readonly<Record<string, string>>[] {
  const rows: string[][] = []
  let rest = text
  let row: string[] = []
  while (rest !== '') {
    const match = /^(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/.exec(rest)
    if (match === null) throw new Error(`not RFC 4180: ${rest.slice(0, 80)}`)
    row.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '')
    if (match[3] === '\r\n') {
      rows.push(row)
      row = []
    }
    rest = rest.slice(match[0].length)
  }
  const [header = [], ...body] = rows
  expect(body.every((cells) => cells.length === header.length)).toBe(true)
  return body.map((cells) => Object.fromEntries(header.map((name, at) => [name, cells[at] ?? ''])))
}

test('export: a range that ends before it begins is refused: an empty file would pass for a quiet month', async () => {
  const range = ['--since', '2027-01-01', '--until', '2026-01-01']
  expect(await exported('--what', 'swaps', ...range)).toMatchObject({
    ...{ code: 2, stdout: '' },
    stderr: expect.stringContaining('--since is not before --until'),
  })
})

test('export: the sums of the ledger read back are what the journal expects the wallet to hold', async () => {
  const traded = await openTraded(cwd)
  const { journal, wallet, chainId, weth, usdc } = traded
  const eth = { chainId, address: nativeAddress, symbol: 'ETH', decimals: 18 }
  const begin = new Map([
    [weth, 5n * 10n ** 18n],
    [usdc, 0n],
    [eth, 10n ** 18n],
  ])
  const look = (wei: ReadonlyMap<typeof eth, bigint>) =>
    journal.wallet.balanceLedger({
      chainId,
      wallet,
      balances: [...wei].map(([token, held]) => ({ token, wei: held })),
      block: 1_000,
    })
  await look(begin)
  await traded.sell(sale)
  await traded.sell({ ...sale, slot: slot + 60_000, firm: '2999', received: '2999' })
  const { stdout } = await exported('--what', 'ledger', '--format', 'csv')
  const rows = readCsv(stdout)
  expect(rows.map(({ kind }) => kind)).toEqual([
    'sold',
    'received',
    'gas',
    'sold',
    'received',
    'gas',
  ])

  const sums = new Map(
    [...begin].map(([token, wei]) => {
      const own = rows.filter(({ address }) => address === token.address)
      return [token, own.reduce((sum, row) => sum + BigInt(row.wei ?? ''), wei)]
    }),
  )
  // One unit less, and the journal misses it: the sums are its own.
  const short = new Map([...sums].map(([token, wei]) => [token, wei - 1n]))
  expect((await look(short)).map(({ wei }) => wei)).toEqual([1n, 1n, 1n])
  expect(await look(sums)).toEqual([])
  expect((await exported('--what', 'ledger', '--format', 'csv')).stdout).toBe(stdout)
  await journal.shut()
  expect(sums.get(usdc)).toBe(5_999_250_000n)
})

test('export: a payment on another chain is in no token of this one', async () => {
  const { journal, wallet, chainId, weth } = await openTraded(cwd)
  for (const own of [chainId, 137])
    for (const wei of [5n, 8n])
      await journal.wallet.balanceLedger({
        ...{ chainId: own, wallet, block: Number(wei) },
        balances: [{ token: { ...weth, chainId: own }, wei }],
      })
  await journal.shut()
  const rows = readCsv((await exported('--what', 'ledger')).stdout)
  expect(rows.map(({ kind, token, amount, wei }) => [kind, token, amount, wei])).toEqual([
    ['paid-in', 'WETH', '0.000000000000000003', '3'],
    ['paid-in', '', '', '3'],
  ])
})

test('export: swaps have exact text and integers, the same in both formats, within their span', async () => {
  const traded = await openTraded(cwd)
  await traded.sell(sale)
  await traded.sell({ ...sale, slot: slot + 3_600_000, strategy: '=cmd|calc' })
  await traded.journal.slots.close({
    strategy: 'sell-strength',
    slot,
    upto: slot,
    slots: 1,
    calendar: '',
    state: 'missed',
    reason: 'the process was not running',
  })
  await traded.decide(slot + 7_200_000, '2948.15')
  await traded.journal.shut()

  const csv = readCsv((await exported('--what', 'swaps')).stdout)
  expect(csv.map(({ strategy }) => strategy)).toEqual(['sell-strength', "'=cmd|calc"])
  expect(csv[0]).toMatchObject({
    sold_amount: '1',
    sold_wei: '1000000000000000000',
    received_amount: '3000.25',
    received_wei: '3000250000',
    created_at: '2026-11-20T09:00:00.020Z',
    source: 'maker-a',
    gas_paid_in_all_wei: '200000000000000',
  })
  const json = JSON.parse((await exported('--what', 'swaps', '--json')).stdout)
  expect(Object.keys(json[0])).toEqual(Object.keys(csv[0] ?? {}))
  expect(json.map((row: { strategy: string }) => row.strategy)).toEqual([
    'sell-strength',
    '=cmd|calc',
  ])

  const later = readCsv(
    (await exported('--what', 'swaps', '--since', '2026-11-20T09:30:00Z')).stdout,
  )
  expect(later.map(({ strategy }) => strategy)).toEqual(["'=cmd|calc"])
  expect(readCsv((await exported('--what', 'swaps', '--until', '2026-11-20')).stdout)).toEqual([])
  expect(readCsv((await exported('--what', 'slots')).stdout)).toMatchObject([
    { slot: '2026-11-20T09:00:00.000Z', state: 'missed', slots: '1' },
  ])
  const [decision] = readCsv((await exported('--what', 'decisions')).stdout)
  expect(decision).toMatchObject({ number: '1', decided: 'wait', at: '2026-11-20T11:00:00.017Z' })
  expect(JSON.parse(decision?.context ?? '')).toMatchObject({ slot: slot + 7_200_000 })
})

test('export: nothing is overwritten, and what was not finished is not left behind', async () => {
  const traded = await openTraded(cwd)
  await traded.sell(sale)
  await traded.journal.shut()
  const file = join(cwd, 'out.csv')
  expect(await exported('--what', 'ledger', '--out', 'out.csv')).toMatchObject({
    code: 0,
    stdout: `3 rows of ledger written to ${file}\n`,
  })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const before = readFileSync(file, 'utf8')
  expect(readCsv(before)).toHaveLength(3)
  const again = await exported('--what', 'swaps', '--out', 'out.csv')
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('overwrites nothing')])
  expect(again.stderr).toContain('(EXPORT_FILE)')
  expect(readFileSync(file, 'utf8')).toBe(before)
  expect((await exported('--what', 'swaps', '--out', 'nowhere/x.csv')).code).toBe(2)

  const db = new DatabaseSync(join(cwd, 'ballast.db'))
  db.exec(`UPDATE swap SET plan = '{}'`)
  db.close()
  expect((await exported('--what', 'swaps', '--out', 'half.csv')).code).toBe(1)
  expect(existsSync(join(cwd, 'half.csv'))).toBe(false)
})

test('export: an empty journal says so with the next command, and is still a document', async () => {
  const { code, stdout, stderr } = await exported('--what', 'slots')
  expect([code, stdout, stderr]).toEqual([
    0,
    'strategy,slot,upto,slots,state,reason,at\r\n',
    expect.stringContaining('It begins with: ballast run'),
  ])
  expect(JSON.parse((await exported('--what', 'slots', '--json')).stdout)).toEqual([])
  const wrong = await exported('--what', 'swap')
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('Did you mean swaps?')])
  expect((await exported('--what', 'swaps', '--since', '2026-02-31')).code).toBe(2)
})

test.each<[string, string, string]>([
  ['a plain text', 'a b', 'a b'],
  ['a comma', 'a,b', '"a,b"'],
  ['a quote', 'a"b', '"a""b"'],
  ['a formula', '=1+1', "'=1+1"],
  ['a formula with a quote', '=A("x")', `"'=A(""x"")"`],
  ['a plus', '+1', "'+1"],
  ['an at sign', '@x', "'@x"],
  ['a wide equals sign', '＝1', "'＝1"],
  ['a minus that is no number', '-1+2', "'-1+2"],
  ['a number below zero', '-5', "'-5"],
  ['a formula behind a semicolon', 'a; =1+1', `"a; '=1+1"`],
  ['a line break', 'a\nb', 'a\u{FFFD}b'],
])('export: %s in a column of text', (_, text, cell) => {
  expect(csvLine([{ name: 'x', kind: 'text' }], { x: text })).toBe(`${cell}\r\n`)
})

test('export: a number keeps its minus, and only a number', () => {
  const columns = [{ name: 'x', kind: 'number' as const }]
  expect(csvLine(columns, { x: '-1.5' })).toBe('-1.5\r\n')
  expect(csvLine(columns, { x: '-1+2' })).toBe("'-1+2\r\n")
})
