import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { systemClock } from '../../src/core/clock.ts'
import { goodYaml } from '../config/goodYaml.ts'
import { openMonth } from '../story/month/tradedMonth.ts'
import { callCli } from './callCli.ts'
import { expectGolden } from './expectGolden.ts'
import { openTraded } from './tradedJournal.ts'

let cwd: string
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ballast-month-'))
  writeFileSync(join(cwd, 'ballast.yaml'), goodYaml)
})
afterEach(() => rmSync(cwd, { recursive: true }))

const month = (...args: string[]) =>
  callCli(['report', '--month', '2026-11', ...args], { cwd, clock: later })
const exported = async (...args: string[]) =>
  JSON.parse((await callCli(['export', ...args, '--json'], { cwd })).stdout)

/** Writes the journal, and closes it. */
async function live(foreign?: string) {
  const traded = await openMonth(cwd, foreign === undefined ? {} : { foreign })
  await traded.journal.shut()
  return traded
}

/** When the months of these tests are over. */
const later = { now: () => Date.UTC(2027, 2, 1), sleep: async () => {} }

test('history --before takes an id as history prints it', async () => {
  await live()
  const history = (...args: string[]) => callCli(['history', ...args], { cwd })
  const { swaps } = JSON.parse((await history('--json')).stdout)
  const [{ id }] = swaps
  const older = await history('--before', id)
  expect(older.stdout.trim().split('\n')).toHaveLength(swaps.length)
  expect(await history('--before', id.slice(0, 8))).toEqual(older)
})

test('--wallet before the command is not the command', async () => {
  const after = await callCli(['history', '--wallet', 'treasury'], { cwd })
  expect(after.code).toBe(0)
  expect(await callCli(['--wallet', 'treasury', 'history'], { cwd })).toEqual(after)
})

test('month: opening, flows and result come to closing, and each part is what happened', async () => {
  await live()
  const report = JSON.parse((await month('--json')).stdout)
  const texts = (sums: Record<string, { text?: string; fifo?: { text: string } }>) =>
    Object.fromEntries(
      Object.entries(sums).map(([name, one]) => [name, one.text ?? one.fifo?.text]),
    )
  expect(texts(report.sums)).toEqual({
    opening: '38000',
    deposits: '6000',
    withdrawals: '1000.000001',
    sentOn: '0',
    realised: '100.02',
    unrealised: '1109.583456',
    gas: '1.22',
    result: '1208.383456',
    closing: '44208.383455',
  })
  expect(report).toMatchObject({
    ...{ mode: 'live', market: 'synthetic', unit: 'USD', settled: 2, notes: [] },
    opening: { at: '2026-11-01T00:00:02.000Z', place: 'after' },
    closing: { at: '2026-12-01T00:00:03.000Z', place: 'after' },
    flows: [
      { kind: 'deposit', came: { text: '2', token: 'WETH' }, worth: { text: '6000' } },
      { kind: 'withdrawal', left: { text: '1000.000001' }, worth: { text: '1000.000001' } },
    ],
    gas: { total: { text: '0.0004' }, transactions: 2 },
    sources: [
      { source: 'a feed', swaps: 2 },
      { source: 'a pool', swaps: 2 },
    ],
    events: {
      locks: [{ code: 'BY_HAND', reason: 'because a node was away', releasedAt: null }],
      stopped: [{ code: 'POLICY_NOT_BELOW_REFERENCE', count: 1 }],
    },
  })
  const [, weth] = report.closing.holdings
  expect(weth).toMatchObject({ price: '3100 USD per WETH', sources: ['pool a node was away'] })
  const { head } = report.proof.audit
  expect((await callCli(['audit', 'verify', '--head', head], { cwd })).code).toBe(0)
})

test('month: what is not known says so, and is no zero', async () => {
  await live()
  const of = async (name: string, ...args: string[]) =>
    JSON.parse(
      (await callCli(['report', '--month', name, ...args, '--json'], { cwd, clock: later })).stdout,
    )
  expect(await of('2026-09')).toMatchObject({
    ...{ sums: null, opening: null, closing: null },
    notes: [expect.stringContaining('No valuation of the wallet from before the end')],
  })
  // The first valuation is of 23:00 UTC on the last of October, which in Berlin is November.
  expect(await of('2026-10')).toMatchObject({
    opening: { at: '2026-10-31T23:00:02.000Z', place: 'begin' },
    notes: [expect.stringContaining('Partial month: the books begin at 2026-10-31T23:00:02Z')],
  })
  expect(await of('2026-11', '--zone', 'Europe/Berlin')).toMatchObject({
    opening: { at: '2026-10-31T23:00:02.000Z', place: 'after' },
  })
  expect(await of('2027-01')).toMatchObject({
    ...{ sums: null, tokens: [] },
    notes: [expect.stringContaining('No valuation of the month is in the journal')],
  })
  const unknown = await callCli(['report', '--month', '2027-01'], { cwd, clock: later })
  await expectGolden('report-month-unknown', unknown, { folder: cwd })
})

test('month: one that has not begun is refused; one that began with the books says so', async () => {
  await live()
  const soon = { now: () => Date.UTC(2026, 9, 31, 23, 30), sleep: async () => {} }
  const refused = await callCli(['report', '--month', '2026-11'], { cwd, clock: soon })
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('has not begun')])
  const path = join(cwd, 'ballast.db')
  const file = new DatabaseSync(path)
  file.exec('DELETE FROM valuation WHERE at > (SELECT min(at) FROM valuation)')
  file.close()
  const { stdout } = await callCli(['report', '--month', '2026-10', '--json'], {
    cwd,
    clock: later,
  })
  expect(JSON.parse(stdout).notes.slice(0, 2)).toEqual([
    expect.stringContaining('Partial month: the books begin at 2026-10-31T23:00:02Z'),
    expect.stringContaining('The closing is the same valuation'),
  ])
})

test('month: without a price at its end there is no sum, and the amounts still add up', async () => {
  const { journal, chainId, wallet, weth, config } = await openMonth(cwd)
  await journal.valuations.record({
    ...{ chainId, wallet, at: Date.UTC(2027, 0, 1), unit: config.policy.notional.perSwap.token },
    holdings: [{ held: { token: weth, wei: 7n }, worth: undefined }],
  })
  await journal.shut()
  const { stdout } = await callCli(['report', '--month', '2026-12', '--json'], {
    cwd,
    clock: later,
  })
  expect(JSON.parse(stdout)).toMatchObject({
    ...{ sums: null, notes: ['No price of WETH at the closing.'] },
    tokens: [{ token: 'ETH' }, { token: 'WETH', closing: { wei: '7' } }, { token: 'USDC' }],
  })
})

const hostile =
  '=HYPERLINK("http://x")</td></style><script>alert(1)</script><img src=x onerror=alert(1)>\r\n\u{202e}"\'`'

test('month: hostile names and reasons do nothing in text, page and CSV', async () => {
  await live(hostile)
  const { stdout } = await month()
  expect(stdout.split('\n').filter((line) => [...line].length > 80)).toEqual([])
  expect(stdout).not.toContain('\u{202e}')
  const page = (await month('--html')).stdout
  expect(page).toContain('alert(1)')
  const tags = [...page.matchAll(/<[^>]*>/g)].map(([tag]) => tag)
  expect(tags.length).toBeGreaterThan(100)
  const active = /^<\/?(?:script|img|iframe|object|link|base|form)|\s(?:src|href|on\w+)=/i
  expect(tags.filter((tag) => active.test(tag))).toEqual([])
  expect(page.match(/<\/style>/g)).toHaveLength(1)
  expect(page).not.toContain('\u{202e}')
  for (const what of ['journal', 'lots']) {
    const csv = (await callCli(['export', '--what', what], { cwd })).stdout
    expect(csv).toContain("'=HYPERLINK")
    expect(csv).not.toMatch(/(?:^|,|\n)"?[=+@]/)
    expect(csv).not.toContain('\u{202e}')
  }
})

test('month: a long name does not widen the text', async () => {
  await live('x'.repeat(900))
  const { stdout } = await month()
  expect(stdout.split('\n').filter((line) => [...line].length > 80)).toEqual([])
})

test('month: the page is a new file with its charts, and the same each time', async () => {
  await live()
  const file = join(cwd, 'november.html')
  expect((await month('--html', '--out', 'november.html')).stdout).toBe(
    `The month is written to ${file}\n`,
  )
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const page = readFileSync(file, 'utf8')
  expect((await month('--html')).stdout).toBe(page)
  expect(page).not.toContain(cwd)
  expect(page.match(/<svg class="chart"/g)).toHaveLength(2)
  for (const part of ['prefers-color-scheme: dark', '@media print', '44\u{202f}208.383455'])
    expect(page).toContain(part)
  const again = await month('--html', '--out', 'november.html')
  await expectGolden('report-month-exists', again, { folder: cwd })
})

test('month: told again from a backup that was restored, it is the same to the byte', async () => {
  await live()
  const clock = { ...systemClock, now: () => Date.UTC(2026, 11, 2) }
  const ballast = (...args: string[]) => callCli(args, { cwd, clock })
  const all = async () => [
    await month(),
    await month('--json'),
    await month('--html'),
    await ballast('export', '--what', 'journal'),
    await ballast('export', '--what', 'lots'),
  ]
  const before = await all()
  expect(before.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0])
  expect((await ballast('backup', join(cwd, 'copy.db'))).code).toBe(0)
  rmSync(join(cwd, 'ballast.db'))
  expect((await ballast('restore', join(cwd, 'copy.db'))).code).toBe(0)
  expect(await all()).toEqual(before)
})

test('month: options that do not belong together are refused, and an empty journal says so', async () => {
  for (const args of [
    ['report', '--html'],
    ['report', '--zone', 'UTC'],
    ['report', '--month', '2026-11', '--since', '2026-11-20'],
    ['report', '--month', '2026-11', '--out', 'x.html'],
    ['report', '--month', 'November'],
    ['report', '--month', '2026-11', '--zone', 'Berlin'],
  ])
    expect((await callCli(args, { cwd })).code).toBe(2)
  expect(existsSync(join(cwd, 'x.html'))).toBe(false)
  await expectGolden('report-month-empty', await month(), { folder: cwd })
  // A script waits for the file.
  const page = await month('--html', '--out', 'x.html', '--json')
  expect([page.code, JSON.parse(page.stdout).error.code]).toEqual([2, 'NO_JOURNAL'])
})

test('month: the page is of one wallet, which is to be named where there are several', async () => {
  const { chain, service, tokens, wallet, ...top } = parse(goodYaml)
  const file = {
    ...{ ...top, database: 'postgres://ballast@127.0.0.1/ballast' },
    chains: [{ chain, service, tokens }],
    wallets: ['1', '2'].map((digit) => ({
      ...wallet,
      ...{ name: `wallet-${digit}`, address: `0x${digit.padStart(40, '0')}` },
    })),
  }
  writeFileSync(join(cwd, 'ballast.yaml'), stringify(file, { defaultStringType: 'QUOTE_DOUBLE' }))
  for (const args of [[], ['--out', 'x.html']]) {
    const { code, stdout } = await month('--html', '--json', ...args)
    expect([code, JSON.parse(stdout).error.code]).toEqual([2, 'WALLET_NOT_NAMED'])
  }
  const { stdout } = await month('--html')
  expect(stdout).toBe('')
})

type JournalRow = Readonly<Record<string, string | number | null>>

test('export journal: debits equal credits in every entry, and the wallet account is what is held', async () => {
  const { held, weth, usdc } = await live()
  const rows: readonly JournalRow[] = await exported('--what', 'journal')
  const sum = (some: readonly JournalRow[], name: string) =>
    some.reduce((total, row) => total + BigInt(row[name] ?? 0), 0n)
  const entries = Map.groupBy(rows, ({ entry }) => entry)
  // Three of the opening, two swaps with their gas, a deposit and a withdrawal.
  expect(entries.size).toBe(9)
  for (const entry of entries.values()) {
    for (const own of Map.groupBy(entry, ({ address }) => address).values())
      expect(sum(own, 'debit_wei')).toBe(sum(own, 'credit_wei'))
    expect(sum(entry, 'debit_value_wei')).toBe(sum(entry, 'credit_value_wei'))
    expect(sum(entry, 'debit_value_wei')).toBeGreaterThan(0n)
  }
  const walletOf = (address: string) => {
    const own = rows.filter((row) => row.account === 'Assets:Wallet' && row.address === address)
    return sum(own, 'debit_wei') - sum(own, 'credit_wei')
  }
  expect([walletOf(weth.address), walletOf(usdc.address)]).toEqual([held.weth, held.usdc])
  const later = await exported('--what', 'journal', '--since', '2026-11-22')
  expect(later).toEqual(rows.filter(({ date }) => String(date) >= '2026-11-22'))
  expect(rows.find(({ kind }) => kind === 'swap')).toMatchObject({
    ...{
      account: 'Trading',
      token: 'WETH',
      debit_amount: '1',
      unit: 'USD',
      valued_by: 'valuation',
    },
    tx_hash: expect.stringMatching(/^0x/),
  })
})

test('export: what left in the last hour of a month is in the lines of its statement, and in no other', async () => {
  const { journal, held, value, waitUntil } = await openMonth(cwd)
  const january = Date.UTC(2027, 0, 1)
  await value(january - 3_599_000)
  held.usdc -= 700_000_000n
  waitUntil(january)
  await value(january + 3_000)
  await journal.shut()
  const report = ['report', '--month', '2026-12', '--json']
  const { sums, tokens } = JSON.parse((await callCli(report, { cwd, clock: later })).stdout)
  expect(sums.withdrawals.text).toBe('700')
  const out = async (name: string) =>
    (await exported('--what', 'journal', '--month', name))
      .filter(({ account }: JournalRow) => account === 'Equity:Withdrawals')
      .map(({ debit_amount }: JournalRow) => debit_amount)
  expect([await out('2026-12'), await out('2027-01')]).toEqual([['700'], []])
  const lots = await exported('--what', 'lots', '--month', '2026-12')
  const left = lots
    .filter(({ token }: JournalRow) => token === 'USDC')
    .reduce((sum: bigint, { left_wei }: JournalRow) => sum + BigInt(String(left_wei)), 0n)
  const line = tokens.find(({ token }: { token: string }) => token === 'USDC')
  expect(left).toBe(BigInt(line.closing.wei))
})

test('export --month: where the books begin in the first hour of a month, that one has the opening', async () => {
  await live()
  const openings = async (...span: string[]) =>
    (await exported('--what', 'journal', ...span)).filter(
      ({ kind }: JournalRow) => kind === 'opening',
    )
  const all = await openings()
  expect(all[0]).toMatchObject({ date: expect.stringMatching(/^2026-10-31T23:00/) })
  const berlin = (name: string) => openings('--month', name, '--zone', 'Europe/Berlin')
  expect([await berlin('2026-10'), await berlin('2026-11')]).toEqual([[], all])
})

test('export --month: one that is not over says so, and has its own begin and end', async () => {
  await live()
  const clock = { ...later, now: () => Date.UTC(2026, 11, 1, 1, 59) }
  const call = (...args: string[]) =>
    callCli(['export', '--what', 'journal', ...args], { cwd, clock })
  const note = 'has no closing valuation yet'
  expect((await call('--month', '2026-11')).stderr).toContain(note)
  expect((await call('--month', '2026-10')).stderr).not.toContain(note)
  for (const wrong of [
    ['--month', '2026-11', '--since', '2026-11-02'],
    ['--zone', 'UTC'],
    ['--month', '2026-13'],
  ])
    expect((await call(...wrong)).code).toBe(2)
})

test('month: a lock says who opened it and who released it, and one that holds is not over', async () => {
  const { journal } = await openMonth(cwd)
  const pause = { kind: 'pause', code: 'BY_OPERATOR', expiresAt: undefined } as const
  const { lock } = await journal.locks.open({ ...pause, scope: 'all', reason: 'look', by: 'alice' })
  await journal.locks.release({ id: lock.id, reason: 'fine again', by: 'bob' })
  const expiresAt = Date.UTC(2026, 11, 30)
  const breaker = { kind: 'breaker', scope: 'all', code: 'FAILURES', reason: 'gas' } as const
  await journal.locks.open({ ...breaker, expiresAt })
  await journal.shut()
  const december = ['report', '--month', '2026-12']
  const { stdout } = await callCli(december, { cwd, clock: later })
  expect(stdout.replace(/\s+/g, ' ')).toMatch(
    /BY_OPERATOR on all from \S+ by alice: look Released \S+ by bob: fine again .*FAILURES on all from \S+: gas Held at the end of this statement\./,
  )
})

test('export journal: a swap before the first valuation is in what the books open with, once', async () => {
  const { journal, sell, weth, usdc, chainId, wallet, config } = await openTraded(cwd)
  const { token: unit } = config.policy.notional.perSwap
  const price = '3000'
  await sell({ slot: Date.UTC(2026, 10, 20, 9), indicated: price, firm: price, received: price })
  const [held, left] = [3_000_000_000n, 9n * 10n ** 18n]
  await journal.valuations.record({
    ...{ chainId, wallet, unit, at: Date.UTC(2026, 10, 20, 12) },
    holdings: [
      { held: { token: weth, wei: left }, worth: { token: unit, wei: 1n }, sources: [] },
      { held: { token: usdc, wei: held }, worth: { token: unit, wei: 1n }, sources: [] },
    ],
  })
  await journal.shut()
  const rows: readonly JournalRow[] = await exported('--what', 'journal')
  const ofWallet = rows.filter(({ account }) => account === 'Assets:Wallet')
  expect(ofWallet.map((row) => [row.kind, row.token, row.debit_wei])).toEqual([
    ['opening', 'WETH', `${left}`],
    ['opening', 'USDC', `${held}`],
  ])
})

test('export journal: until an instant no price counts that came later', async () => {
  const { journal, sell, weth, usdc: unit, chainId, wallet } = await openTraded(cwd)
  const whole = 10n ** 18n
  const value = (hour: number, held: bigint, price: bigint | undefined) => {
    const worth =
      price === undefined ? undefined : { token: unit, wei: (held * price) / 10n ** 12n }
    const coins = { held: { token: weth, wei: held }, worth, sources: [] }
    const at = Date.UTC(2026, 10, 20, hour)
    return journal.valuations.record({ chainId, wallet, at, unit, holdings: [coins] })
  }
  await value(6, 10n * whole, 3_000n)
  // Two of them leave while nobody says what they are worth.
  await value(8, 8n * whole, undefined)
  // The swap is planned before it, and settled behind it.
  const until = ['--until', '2026-11-20T09:00:01Z']
  const withdrawn = async () => {
    const rows: readonly JournalRow[] = await exported('--what', 'journal', ...until)
    const [first] = rows.filter(({ kind }) => kind === 'withdrawal')
    return first?.debit_value_amount
  }
  expect(await withdrawn()).toBe('6000')
  const price = '3900'
  await sell({ slot: Date.UTC(2026, 10, 20, 9), indicated: price, firm: price, received: price })
  await journal.shut()
  expect(await withdrawn()).toBe('6000')
})

test('export: an entry near the end has the price that the statement and the whole books have', async () => {
  const { journal, value, held, sell, waitUntil, lock, chainId, wallet, weth, config } =
    await openMonth(cwd)
  const december = (hour: number, minute = 0) => Date.UTC(2026, 11, 31, hour, minute)
  await journal.locks.release({ id: lock.id, reason: 'looked at' })
  waitUntil(december(22))
  await value(december(22))
  await sell({ slot: december(23, 50), indicated: '3000', firm: '3000', received: '3000' })
  held.weth -= 10n ** 18n
  held.usdc += 3_000_000_000n
  held.eth -= 200_000_000_000_000n
  // More has come, and nobody says what it is worth.
  held.weth += 5n * 10n ** 18n
  const { token: unit } = config.policy.notional.perSwap
  const [eth] = (await journal.valuations.page({ chainId, wallet, until: december(23), limit: 1 }))
    .flatMap(({ holdings }) => holdings)
    .map(({ held: { token } }) => token)
  if (eth === undefined) throw new Error('it holds the coin')
  const usdc = config.tokens.bySymbol.get('USDC') ?? eth
  await journal.valuations.record({
    ...{ chainId, wallet, unit, at: december(23, 55) },
    holdings: [
      { held: { token: eth, wei: held.eth }, worth: undefined },
      { held: { token: weth, wei: held.weth }, worth: undefined },
      { held: { token: usdc, wei: held.usdc }, worth: undefined },
    ],
  })
  held.price = 6_000n
  await value(december(24) + 3_000)
  // The next one belongs to January, where more comes.
  held.weth += 10n ** 18n
  await value(december(25))
  await journal.shut()
  const until = ['--until', '2027-01-01']
  for (const [what, date] of [
    ['journal', 'date'],
    ['lots', 'acquired_at'],
  ] as const) {
    const whole: readonly JournalRow[] = await exported('--what', what)
    const before = whole.filter((row) => String(row[date]) < '2027-01-01')
    expect(before.length).toBeLessThan(whole.length)
    expect(await exported('--what', what, ...until)).toEqual(before)
  }
  const rows: readonly JournalRow[] = await exported(
    ...['--what', 'journal', '--since', '2026-12-01T00:00:04Z', ...until],
  )
  const firstOf = (kind: string) =>
    rows.find((row) => row.kind === kind && row.debit_value_amount !== null)?.debit_value_amount
  expect([firstOf('gas'), firstOf('deposit')]).toEqual(['1.2', '30000'])
  const report = await callCli(['report', '--month', '2026-12', '--json'], { cwd, clock: later })
  expect(JSON.parse(report.stdout).sums).toMatchObject({
    ...{ gas: { text: '1.2' }, deposits: { text: '30000' } },
  })
})

test('export lots: what is left of all lots is what is held', async () => {
  const { held, weth, usdc } = await live()
  const rows: readonly JournalRow[] = await exported('--what', 'lots')
  const leftOf = (address: string) =>
    rows
      .filter((row) => row.address === address)
      .reduce((sum, row) => sum + BigInt(row.left_wei ?? 0), 0n)
  expect([leftOf(weth.address), leftOf(usdc.address)]).toEqual([held.weth, held.usdc])
  expect(rows.map((row) => row.acquired_by)).toEqual([
    ...['opening', 'opening', 'deposit', 'opening', 'swap', 'swap'],
  ])
  const before = await exported('--what', 'lots', '--until', '2026-11-20')
  expect(before).toHaveLength(3)
  expect(await exported('--what', 'lots', '--until', '2026-01-01')).toEqual([])
})
