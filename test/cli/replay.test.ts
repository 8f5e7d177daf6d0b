import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { textOf, type WrittenEntry } from '../../src/tape/tapeLine.ts'
import { seller, tapeOf, yamlWith } from '../tape/tapeOf.ts'
import { callCli } from './callCli.ts'
import { expectGolden } from './expectGolden.ts'

let cwd: string

const dca = `  - name: monthly
    use: dca
    params: { sell: 5000 USDC, buy: WETH, cron: "0 */6 * * *", timeZone: UTC, tolerance: 50 bps }`

beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ballast-replay-'))
  writeFileSync(join(cwd, 'ballast.yaml'), yamlWith(`${seller}\n${dca}`))
  mkdirSync(join(cwd, 'tape'))
  const looks = [0, 1, 2].map((s) => ({
    s,
    bids: [[10, 3000]] as const,
    asks: [[10, 3002]] as const,
  }))
  for (const [name, overrides] of [
    ['own', {}],
    ['foreign', { chain: 'ethereum', chainId: 1 }],
  ] as const)
    writeFileSync(
      join(cwd, `${name}.jsonl`),
      (tapeOf(looks, overrides) as WrittenEntry[]).map(textOf).join(''),
    )
})
afterAll(() => rmSync(cwd, { recursive: true, force: true }))

const replay = (...args: string[]) => callCli(['replay', ...args], { cwd })

test('without a tape it is the synthetic one, and every line says so', async () => {
  const { code, stdout, stderr } = await replay()
  expect(stderr).toBe('')
  expect(code).toBe(0)
  const lines = stdout.trimEnd().split('\n')
  expect(lines.length).toBeGreaterThan(30)
  for (const line of lines) expect(line).toMatch(/^SYNTHETIC(?: {2}|$)/)
  for (const assumed of ['Decided on the newest book', 'Included after 1 to 3 blocks', 'Seed 7.'])
    expect(stdout).toContain(assumed)
  expect(stdout).toMatch(/^SYNTHETIC {2}For 2 % of its time the tape has a book of at most 60s/m)
  expect(stdout).toMatch(/schedule +\S+ USDC per WETH at \d+ of 121 slots: execution \S+ bps/)
  // A reason with its numbers, and not with their places.
  expect(stdout).toMatch(/waited \d+ times, the last: Holds [\d.]+ WETH, less than the 1 WETH/)
  expect(stdout).not.toContain('#')
})

test('as JSON it says so at the top and at every strategy', async () => {
  const days = ['--synthetic', 'days=5,every=10m']
  const one = await replay(...days, '--json', '--fail', '3%', '--seed', '9')
  const document = JSON.parse(one.stdout)
  expect(document).toMatchObject({
    mode: 'replay',
    source: 'synthetic',
    strategies: [
      { strategy: 'seller', source: 'synthetic' },
      { strategy: 'monthly', source: 'synthetic', slots: { done: expect.any(Number) } },
    ],
  })
  expect(document.assumptions.join(' ')).toContain('3 % of requests')
  const { done, passed, failed, missed, notDone } = document.strategies[1].slots
  // Every slot of five days of four, both midnights included, is accounted for.
  expect(done + passed + failed + missed).toBe(21)
  expect(notDone).toHaveLength(21 - done)
})

test('the same seed prints the same byte for byte, another one does not', async () => {
  const with3 = (seed: string) =>
    replay('--synthetic', 'seed=5,days=2,every=10m', '--json', '--fail', '3%', '--seed', seed)
  const [one, again, other] = [await with3('9'), await with3('9'), await with3('10')]
  expect(one.code).toBe(0)
  expect(again.stdout).toBe(one.stdout)
  expect(other.stdout).not.toBe(one.stdout)
})

test('what a person reads of a replay', async () => {
  const args = [
    'replay',
    '--synthetic',
    'seed=5,days=2,every=1m',
    '--seed',
    '9',
    '--approvals',
    'none',
  ]
  await expectGolden('replay', await callCli(args, { cwd, columns: 80 }), { folder: cwd })
})

test('a recorded tape does not say that it is synthetic', async () => {
  const { code, stdout } = await replay(
    ...['own.jsonl', '--strategy', 'seller', '--fail', '0%', '--approvals', 'none'],
  )
  expect(code).toBe(0)
  expect(stdout).not.toMatch(/synthetic/i)
  expect(stdout).toContain('1 settled')
  expect(stdout).not.toContain('monthly')
})

test('a tape of another chain, a strategy that is not there, a span with nothing: a sentence each', async () => {
  const failed = async (...args: string[]) => {
    const { code, stdout } = await replay(...args, '--json')
    return [code, JSON.parse(stdout).error.message.split('\n')[0]]
  }
  expect(await failed('foreign.jsonl')).toEqual([
    2,
    'The tape is of ethereum (chain id 1), but the configuration is for local (31337).',
  ])
  expect(await failed('--strategy', 'seler')).toEqual([
    2,
    "There is no strategy 'seler' in the file. Did you mean seller?",
  ])
  expect(await failed('--from', '2030-01-01')).toEqual([
    2,
    'Between --from and --to the tape has nothing.',
  ])
  expect(await failed('own.jsonl', '--synthetic', 'days=1')).toEqual([
    2,
    'Either a tape or --synthetic, not both.',
  ])
})

test('a part of a tape', async () => {
  const { stdout } = await replay('--from', '2026-01-10', '--to', '2026-01-11', '--json')
  const { tape, strategies } = JSON.parse(stdout)
  expect([tape.from, tape.until]).toEqual(['2026-01-10T00:00:00.000Z', '2026-01-11T00:00:00.000Z'])
  const { done, passed, failed, missed } = strategies[1].slots
  expect(done + passed + failed + missed).toBe(5)
})

test('a grid: each combination once, the cheapest first, and a warning', async () => {
  const grid = 'seller.price=2950 USDC,3100 USDC; seller.every=1h,6h'
  const args = ['--grid', grid, '--strategy', 'seller', '--synthetic', 'days=5,every=10m']
  const { stdout } = await replay(...args, '--json')
  const { grid: rows, warning, source } = JSON.parse(stdout)
  expect(source).toBe('synthetic')
  expect(
    rows
      .map(({ parameters }: { parameters: object }) => Object.values(parameters).join(' '))
      .sort(),
  ).toEqual(['2950 USDC 1h', '2950 USDC 6h', '3100 USDC 1h', '3100 USDC 6h'])
  const costs = rows.map((row: { allInAgainstTwapBps: number }) => row.allInAgainstTwapBps)
  expect(costs).toEqual([...costs].sort((a, b) => a - b))
  expect(warning).toContain('luckiest')
  for (const row of rows) expect(row).toMatchObject({ source: 'synthetic', strategy: 'seller' })

  const text = (await replay(...args)).stdout
  expect(text).toContain(warning)
  for (const line of text.trimEnd().split('\n')) expect(line).toMatch(/^SYNTHETIC/)
})

test("a grid's parameter is read by the strategy's own schema", async () => {
  const { code, stdout } = await replay('--grid', 'seller.price=2950 DOGE', '--json')
  expect(code).toBe(2)
  expect(JSON.parse(stdout).error.message).toContain('DOGE')
})

test('what record --synthetic writes is what replay --synthetic makes', async () => {
  const settings = 'seed=5,days=2,every=10m'
  const recorded = await callCli(['record', '--synthetic', settings, '--dir', 'made'], { cwd })
  expect(recorded.code).toBe(0)
  expect(recorded.stdout).toMatch(/^SYNTHETIC /)
  const written = readFileSync(join(cwd, 'made/tape-2026-01-03.jsonl'), 'utf8')
  expect(written).toContain('"source":"synthetic"')
  const [file, made] = [
    JSON.parse((await replay('made', '--json')).stdout),
    JSON.parse((await replay('--synthetic', settings, '--json')).stdout),
  ]
  expect(file.strategies).toEqual(made.strategies)
  expect(file.source).toBe('synthetic')
})
