import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Anvil, startAnvil } from '../../src/sandbox/startAnvil.ts'
import { readTape } from '../../src/tape/readTape.ts'
import type { TapeLine } from '../../src/tape/tapeLine.ts'
import { startBallast } from '../support/runBallast.ts'
import { until } from '../support/until.ts'
import { gather } from '../tape/gather.ts'
import { lineOf, seller, usdc, weth, yamlWith } from '../tape/tapeOf.ts'
import { callCli } from './callCli.ts'
import { expectGolden } from './expectGolden.ts'

const apiKey = 'a-key-that-nobody-may-read'
const book = lineOf({ s: 0, bids: [[10, 3000.25]], asks: [[10, 3002]] }).body
const indication = {
  success: true,
  buyerToken: usdc.address,
  sellerToken: weth.address,
  buyerTokenAmount: 3000.25,
  buyerTokenAmountWei: '3000250000',
  sellerTokenAmount: '1',
  sellerTokenAmountWei: '1000000000000000000',
  price: 3000.25,
  widgetFeeUsd: 0,
  liquidityProviderFeeUsd: 0,
  totalFeeUsd: 0,
  routes: ['maker-a'],
}

let anvil: Anvil
let cwd: string
let asked: string[] = []
/** Answers of the service instead of its own, from the first on. */
let moods: number[] = []
const service = createServer((request, response) => {
  asked.push(`${request.url} ${request.headers.apikey}`)
  const status = moods.shift() ?? 200
  response.statusCode = status
  if (status !== 200) response.end(`{"message":"no, not with ${apiKey}"}`)
  else response.end(request.url?.includes('orderbook') ? book : JSON.stringify(indication))
})

beforeAll(async () => {
  anvil = await startAnvil({ chainId: 31_337 })
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
  const { port } = service.address() as AddressInfo
  cwd = mkdtempSync(join(tmpdir(), 'ballast-record-'))
  const both = `${seller}\n${seller.replace('seller', 'other')}`
  writeFileSync(
    join(cwd, 'ballast.yaml'),
    yamlWith(both)
      .replace('confirmations: 2', 'confirmations: 2\n  blockTime: 5m')
      .replace('http://127.0.0.1:8545', anvil.rpcUrl)
      .replace('127.0.0.1:8546', `127.0.0.1:${port}`),
  )
})
beforeEach(() => {
  asked = []
  moods = []
})
afterAll(async () => {
  service.closeAllConnections()
  await new Promise((resolve) => service.close(resolve))
  await anvil.close()
  rmSync(cwd, { recursive: true, force: true })
})

/** In alphabetical order, with nothing that is a secret. */
const canonical = new RegExp(
  `^amount_wei=1000000000000000000&chain=local&from_address=0x\\w{40}&token_in=${weth.address}&token_out=${usdc.address}$`,
  'i',
)

const record = (dir: string, ...args: string[]) =>
  callCli(['record', '--dir', dir, '--every', '1s', '--seconds', '1', ...args], {
    cwd,
    environment: { QUOTE_API_KEY: apiKey },
  })

async function linesOf(dir: string): Promise<readonly TapeLine[]> {
  const entries = await gather(readTape([join(cwd, dir)]))
  return entries.flatMap((entry) => (entry.kind === 'line' ? [entry.line] : []))
}

test('heads, books and what strategies watch, as they came; the question of two strategies once', async () => {
  const ended = await record('first')
  // How many of each a second has depends on the machine.
  const stdout = ended.stdout
    .replaceAll(/\d+ (order book|indicative quote|head)s?/g, '0 $1s')
    .replace(/\d+(?= bytes)/, '0')
  await expectGolden('record', { ...ended, stdout }, { folder: cwd })
  const lines = await linesOf('first')
  const one = (endpoint: string) => lines.find((line) => line.endpoint === endpoint)
  expect(one('orderbook')).toMatchObject({ query: 'chain=local', status: 200, body: book })
  expect(one('indicative-quote')).toMatchObject({
    query: expect.stringMatching(canonical),
    status: 200,
    body: JSON.stringify(indication),
    headBlock: 0,
  })
  expect(JSON.parse(one('head')?.body ?? '')).toMatchObject({ number: 0 })
  const count = (endpoint: string) => lines.filter((line) => line.endpoint === endpoint).length
  expect(count('indicative-quote')).toBe(count('orderbook'))
  // Each of them binds makers who then wait.
  expect(asked.filter((url) => url.includes('firm'))).toEqual([])
  const stamps = lines.map(({ tWall }) => tWall)
  expect(stamps).toEqual([...stamps].sort((a, b) => a - b))
})

test('no key in any file, though it was sent and though the service repeats it', async () => {
  moods = [401, 401]
  await record('keys')
  expect(asked.every((line) => line.endsWith(apiKey))).toBe(true)
  for (const name of readdirSync(join(cwd, 'keys')))
    expect(readFileSync(join(cwd, 'keys', name), 'utf8')).not.toContain(apiKey)
  const [failed] = (await linesOf('keys')).filter(({ status }) => status === 401)
  expect(failed?.body).toBe('{"message":"no, not with [secret]"}')
})

test('a pair that nobody asked for is not asked about', async () => {
  await record('pairs', '--pairs', 'WETH/ETH')
  expect((await linesOf('pairs')).map(({ endpoint }) => endpoint)).not.toContain('indicative-quote')
})

test('what was recorded is replayed', async () => {
  moods = []
  await callCli(['record', '--dir', 'again', '--every', '1s', '--seconds', '3'], {
    cwd,
    environment: { QUOTE_API_KEY: apiKey },
  })
  const { code, stdout } = await callCli(
    [
      'replay',
      'again',
      '--json',
      '--fail',
      '0%',
      // The node's chain stands still, and an approval would take a block of it.
      '--approvals',
      'none',
      '--strategy',
      'seller',
      '--grid',
      'seller.every=1s',
    ],
    { cwd },
  )
  expect(code).toBe(0)
  const { source, tape, grid } = JSON.parse(stdout)
  expect(source).toBe('recorded')
  expect(tape.indicativeQuotes).toMatchObject({ medianBps: 0, furthestBps: 0 })
  expect(tape.indicativeQuotes.compared).toBeGreaterThan(1)
  expect(grid[0]).toMatchObject({ swaps: 1, average: 3000.25, source: 'recorded' })
})

test('a node of another chain is not taped', async () => {
  const file = join(cwd, 'other.yaml')
  writeFileSync(
    file,
    readFileSync(join(cwd, 'ballast.yaml'), 'utf8').replace('chainId: 31337', 'chainId: 31338'),
  )
  const { code, stderr } = await callCli(
    ['record', '--dir', 'none', '--seconds', '1', '--config', file],
    { cwd },
  )
  expect(code).not.toBe(0)
  expect(stderr).toContain('31337')
})

test('Ctrl-C ends it at once, and the last line is whole', async () => {
  const { child, ended } = startBallast(['record', '--dir', 'stopped', '--every', '1h'], {
    cwd,
    env: { QUOTE_API_KEY: apiKey },
  })
  const dir = join(cwd, 'stopped')
  const hasBook = () => {
    const [name] = existsSync(dir) ? readdirSync(dir) : []
    return name !== undefined && readFileSync(join(dir, name), 'utf8').includes('indicative')
  }
  await until(hasBook)
  child.kill('SIGINT')
  const { code, stdout } = await ended
  expect(code).toBe(130)
  expect(stdout).toMatch(/^Recorded 1 order book, 1 indicative quote, 1 head;/)
  const entries = await gather(readTape([dir]))
  expect(entries.map(({ kind }) => kind)).toEqual(['header', 'line', 'line', 'line'])
})
