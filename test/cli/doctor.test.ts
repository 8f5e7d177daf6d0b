import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { keccak256 } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { getBlock } from '../../src/chain/calls/node.ts'
import { createRpc } from '../../src/chain/rpc/createRpc.ts'
import { type Anvil, anvilCalls, startAnvil } from '../../src/sandbox/startAnvil.ts'
import { goodYaml } from '../config/goodYaml.ts'
import { callCli } from './callCli.ts'

/** A contract that answers any call with one number: that is all `decimals()` needs. */
const answering = (value: number) =>
  `0x60${value.toString(16).padStart(2, '0')}60005260206000f3` as const

/** Answers any call with five numbers: `decimals()` reads the first, `latestRoundData()` all of them. */
const answeringRound = (answer: bigint, updatedAt: number) => {
  const words = [8n, answer, BigInt(updatedAt), BigInt(updatedAt), 8n]
  const stores = words.map((word, index) => {
    const offset = (32 * index).toString(16).padStart(2, '0')
    return `7f${word.toString(16).padStart(64, '0')}60${offset}52`
  })
  return `0x${stores.join('')}60a06000f3` as const
}

const wethFeed = '0x00000000000000000000000000000000000000f1'
const usdcFeed = '0x00000000000000000000000000000000000000F2'

/** The good file with prices for what it trades. */
const pricedYaml = goodYaml.replace(
  'strategies:',
  `  references:
    - { kind: feed, pair: WETH/USD, address: "${wethFeed.toLowerCase()}", maxAge: 1h }
    - { kind: feed, pair: USDC/USD, address: "${usdcFeed.toLowerCase()}", maxAge: 1h }
  bands: { WETH: { min: 1500 USD, max: 8000 USD }, USDC: { min: 0.9 USD, max: 1.1 USD } }
strategies:`,
)

const router = '0x5FbDB2315678afecb367f032d93F642f64180aa3'
const executor = '0x5fbdb2315678afecb367f032d93f642f64180aa4'
const weth = '0x5fbdb2315678afecb367f032d93f642f64180aa7'
const usdc = '0x5fbdb2315678afecb367f032d93f642f64180aa8'
const wallet = '0x5fbdb2315678afecb367f032d93f642f64180aa9'

let anvil: Anvil
let yaml: string
/** Of the chain: unix seconds. */
let born: number
const service = createServer((_, response) => {
  const chain = { chainId: 31337, chain: 'local', label: '', token: 'ETH', isMainnet: false }
  response.end(JSON.stringify([chain]))
})

beforeAll(async () => {
  anvil = await startAnvil({ chainId: 31337 })
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
  const { port } = service.address() as AddressInfo
  const rpc = createRpc({ url: anvil.rpcUrl })
  const code = answering(1)
  await rpc.request(anvilCalls.setCode(router, code))
  await rpc.request(anvilCalls.setCode(executor, code))
  await rpc.request(anvilCalls.setCode(weth, answering(18)))
  await rpc.request(anvilCalls.setCode(usdc, answering(6)))
  await rpc.request(anvilCalls.setBalance(wallet, 10n ** 18n))
  born = (await rpc.request(getBlock('latest')))?.timestamp ?? 0
  await rpc.request(anvilCalls.setCode(wethFeed, answeringRound(300_050_000_000n, born)))
  await rpc.request(anvilCalls.setCode(usdcFeed, answeringRound(100_000_000n, born)))
  await rpc.close()
  yaml = pricedYaml
    .replace('http://127.0.0.1:8545', anvil.rpcUrl)
    .replace('127.0.0.1:8546', `127.0.0.1:${port}`)
    .replace(/routerCodeHash: .*/, `routerCodeHash: "${keccak256(code)}"`)
})
afterAll(async () => {
  service.closeAllConnections()
  service.close()
  await anvil.close()
})

type Finding = { name: string; state: string; expected?: string; actual: string }

async function doctor(text: string, environment: Record<string, string> = {}) {
  const cwd = mkdtempSync(join(tmpdir(), 'ballast-doctor-'))
  writeFileSync(join(cwd, 'ballast.yaml'), text)
  const { code, stdout } = await callCli(['doctor', '--json'], { cwd, environment })
  const { ok, findings } = JSON.parse(stdout) as { ok: boolean; findings: Finding[] }
  return { code, ok, findings, bad: findings.filter(({ state }) => state !== 'ok') }
}

test('doctor: everything in place', async () => {
  const { code, ok, bad, findings } = await doctor(yaml)
  expect({ code, ok, bad }).toEqual({ code: 0, ok: true, bad: [] })
  expect(findings.map(({ name }) => name)).toEqual([
    'configuration',
    'policy',
    'prices of two endpoints',
    'price bands',
    'database',
    'journal',
    'RPC endpoint',
    'newest block',
    'gas of a swap',
    'router',
    'executor',
    'fee signer',
    'call tracing',
    'wallet',
    'wallet key',
    'balance for gas',
    'token WETH',
    'token USDC',
    'quoting service',
    'chain of the service',
    `reference feed WETH/USD ${wethFeed}`,
    `reference feed USDC/USD ${usdcFeed}`,
    'reference prices',
  ])
  expect(findings.at(-3)?.actual).toMatch(/^3000\.5 USD per WETH, \d+ s old$/)
  expect(findings.at(-1)?.actual).toBe('3 pairs have enough')
})

test('doctor: a reference that is stale, one that is no feed, and a pair nobody prices', async () => {
  const rpc = createRpc({ url: anvil.rpcUrl })
  await rpc.request(anvilCalls.setCode(wethFeed, answeringRound(1n, born - 3_601)))
  const stale = await doctor(yaml)
  await rpc.request(anvilCalls.setCode(wethFeed, '0x'))
  const gone = await doctor(yaml)
  await rpc.request(anvilCalls.setCode(wethFeed, answeringRound(300_050_000_000n, born)))
  await rpc.close()
  expect(stale).toMatchObject({
    code: 4,
    bad: [{ actual: 'its answer is 3601 s old, at most 3600 s are allowed' }],
  })
  expect(gone).toMatchObject({ code: 4, bad: [{ name: `reference feed WETH/USD ${wethFeed}` }] })
  const unpriced = await doctor(yaml.replace(/.*USDC\/USD.*\n/, ''))
  expect(unpriced.code).toBe(2)
  expect(unpriced.bad).toMatchObject([
    { name: 'reference prices', state: 'fail', actual: 'too few for WETH/USDC, USDC/USD' },
  ])
})

test('doctor: a pool of other tokens is the mistake of the file', async () => {
  const { code, bad } = await doctor(
    yaml.replace(
      '    - { kind: feed, pair: USDC',
      `    - { kind: pool, pair: WETH/USDC, venue: uniswap-v2, address: "${weth}" }\n    - { kind: feed, pair: USDC`,
    ),
  )
  expect(code).toBe(2)
  expect(bad).toMatchObject([
    { state: 'fail', actual: expect.stringMatching(/^There is no uniswap-v2 pool at 0x/) },
  ])
})

test('doctor: for a person', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'ballast-doctor-'))
  writeFileSync(join(cwd, 'ballast.yaml'), yaml.replace('decimals: 6', 'decimals: 8'))
  const { code, stdout } = await callCli(['doctor'], { cwd })
  expect(code).toBe(2)
  expect(stdout).toMatch(/^ok {4}router +code hash 0x/m)
  expect(stdout).toMatch(/^fail {2}token USDC +6 decimals \(expected 8 decimals\)$/m)
  expect(stdout).toMatch(/1 of 23 failed\.\n$/)
})

test('doctor: another router than the one we trust', async () => {
  const { code, bad } = await doctor(
    yaml.replace(/routerCodeHash: .*/, `routerCodeHash: "0x${'ab'.repeat(32)}"`),
  )
  expect(code).toBe(2)
  expect(bad).toMatchObject([
    {
      name: 'router',
      state: 'fail',
      expected: `0x${'ab'.repeat(32)}`,
      actual: `code hash ${keccak256(answering(1))}`,
    },
  ])
})

test('doctor: a fee signer that the router does not know', async () => {
  const stranger = '0x5fbdb2315678afecb367f032d93f642f64180ab1'
  const rpc = createRpc({ url: anvil.rpcUrl })
  await rpc.request(anvilCalls.setCode(stranger, answering(0)))
  await rpc.close()
  const { code, bad } = await doctor(
    yaml
      .replace(/router: .*/, `router: "${stranger}"`)
      .replace(/routerCodeHash: .*/, `routerCodeHash: "${keccak256(answering(0))}"`),
  )
  expect(code).toBe(2)
  expect(bad).toMatchObject([
    {
      name: 'fee signer',
      state: 'fail',
      expected: 'one that the router knows',
      actual: expect.stringContaining('correct service.feeSigner, or let the router'),
    },
  ])
})

test('doctor: no contract, no money, no chain of that name', async () => {
  const { code, bad } = await doctor(
    yaml
      .replace(executor, '0x00000000000000000000000000000000000000e1')
      .replace(usdc, '0x00000000000000000000000000000000000000e2')
      .replace(wallet, '0x00000000000000000000000000000000000000e3')
      .replace('name: local', 'name: other'),
  )
  expect(code).toBe(2)
  expect(bad.map(({ name, actual }) => `${name}: ${actual}`)).toEqual([
    'executor: no code at 0x00000000000000000000000000000000000000e1',
    'balance for gas: 0 ETH',
    'token USDC: no code at 0x00000000000000000000000000000000000000E2',
    'chain of the service: it has local',
  ])
})

test('[CHAIN-24] doctor: a wallet that delegates warns, the key of another wallet fails', async () => {
  const delegate = '5fbdb2315678afecb367f032d93f642f64180a00'
  const rpc = createRpc({ url: anvil.rpcUrl })
  await rpc.request(anvilCalls.setCode(wallet, `0xef0100${delegate}`))
  const { code, bad } = await doctor(yaml, { WALLET_KEY: '11'.repeat(32) })
  await rpc.request(anvilCalls.setCode(wallet, '0x'))
  await rpc.close()
  expect(code).toBe(2)
  expect(bad).toMatchObject([
    {
      name: 'wallet',
      state: 'warn',
      actual: expect.stringContaining(`delegates to 0x${delegate}`),
    },
    {
      name: 'wallet key',
      state: 'fail',
      actual: 'the key of 0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A',
    },
  ])
})

test('doctor: a signer that is not there fails, and is not the operator’s fault', async () => {
  const signed = yaml.replace(
    /(wallet: \{.*?) \}/,
    '$1, signer: { kind: process, socket: ./none } }',
  )
  const { code, bad } = await doctor(signed)
  expect(code).toBe(4)
  expect(bad).toMatchObject([
    { name: 'wallet key', state: 'fail', actual: expect.stringContaining('ENOENT') },
  ])
})

test('doctor: another chain', async () => {
  const { code, bad } = await doctor(yaml.replace('chainId: 31337', 'chainId: 31338'))
  expect(code).toBe(2)
  expect(bad).toMatchObject([
    { name: 'RPC endpoint', expected: 'chain 31338' },
    { name: 'chain of the service', actual: 'local is 31337' },
  ])
})

test('doctor: nobody answers', async () => {
  const { code, bad } = await doctor(pricedYaml.replaceAll(/127\.0\.0\.1:854\d/g, '127.0.0.1:9'))
  expect(code).toBe(4)
  expect(bad.map(({ name }) => name)).toEqual(['RPC endpoint', 'quoting service'])
})

test('doctor: a lock ends with 5, and a file that halts must be removed first', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'ballast-doctor-'))
  writeFileSync(join(cwd, 'ballast.yaml'), yaml)
  const journal = async () => {
    const { code, stdout } = await callCli(['doctor', '--json'], { cwd })
    const { findings } = JSON.parse(stdout) as { findings: Finding[] }
    return { code, ...findings.find(({ name }) => name === 'journal') }
  }
  const file = join(cwd, 'HALT')
  writeFileSync(file, '')
  expect(await journal()).toMatchObject({
    code: 5,
    state: 'fail',
    expected: `a wallet that may sign; remove the file ${file} first, then ballast resume --reason "…" once you know why`,
  })
  rmSync(file)
  // Who only looked wrote nothing down; what the command line halted stays.
  expect(await journal()).toMatchObject({ code: 0, state: 'ok' })
  expect((await callCli(['halt', '--reason', 'a test'], { cwd })).code).toBe(0)
  expect(await journal()).toMatchObject({
    code: 5,
    expected: 'a wallet that may sign; ballast resume --reason "…" once you know why',
  })
  expect((await callCli(['resume', '--reason', 'seen', '1'], { cwd })).code).toBe(0)
  expect(await journal()).toMatchObject({ code: 0, state: 'ok' })

  // One that was taken out of the table holds all the same, and the start would say so.
  expect((await callCli(['halt', '--reason', 'x'], { cwd })).code).toBe(0)
  const database = new DatabaseSync(join(cwd, 'ballast.db'))
  database.exec('DELETE FROM lock')
  database.close()
  expect(await journal()).toMatchObject({
    code: 5,
    expected: 'locks that the log knows; ballast resume --reason "…" once you know why',
  })
})

test('doctor: a database that has no folder', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'ballast-doctor-'))
  mkdirSync(join(cwd, 'here'))
  const { bad } = await doctor(yaml.replace('sqlite:./ballast.db', 'sqlite:./missing/ballast.db'))
  expect(bad).toMatchObject([
    { name: 'database', actual: expect.stringMatching(/^there is no .*missing$/) },
  ])
})

test('doctor: a witness on another chain, and one that is away; tracing that was given up', async () => {
  const chain = (text: string) => yaml.replace('service:\n', `${text}service:\n`)
  const second = await startAnvil({ chainId: 31338 })
  const wrong = await doctor(
    chain(`  tracing: unavailable\n  witness: { rpcUrl: "${second.rpcUrl}", above: 5000 USDC }\n`),
  )
  await second.close()
  expect(wrong.code).toBe(2)
  expect(wrong.bad).toMatchObject([
    { name: 'call tracing', state: 'warn', actual: expect.stringContaining('ballast.yaml:') },
    { name: 'witness endpoint', state: 'fail', actual: `${second.rpcUrl} is chain 31338` },
  ])
  const away = await doctor(
    chain('  witness: { rpcUrl: "http://127.0.0.1:9", above: 5000 USDC }\n'),
  )
  expect(away.code).toBe(4)
  expect(away.bad).toMatchObject([
    { name: 'witness endpoint', actual: expect.stringContaining('WITNESS_RPC_URL') },
  ])
})

test('doctor: an endpoint that only gets bytes, on another chain, and one that is away', async () => {
  const also = (url: string) => yaml.replace('service:\n', `  alsoSendTo: ["${url}"]\nservice:\n`)
  const second = await startAnvil({ chainId: 31338 })
  const wrong = await doctor(also(second.rpcUrl))
  await second.close()
  expect(wrong.code).toBe(2)
  expect(wrong.bad).toMatchObject([
    { name: 'sending endpoint', state: 'fail', actual: `${second.rpcUrl} is chain 31338` },
  ])
  const away = await doctor(also('http://127.0.0.1:9'))
  expect(away.code).toBe(0)
  expect(away.bad).toMatchObject([
    { name: 'sending endpoint', state: 'warn', actual: expect.stringContaining('ALSO_SEND_TO') },
  ])
})

test.each([
  ['pairs: [WETH/USDC]', 'pairs: []', 'policy.pairs lists none'],
  ['perDay: [200 WETH', 'perDay: [0.5 WETH', 'policy.perDay (0.5 WETH) is below policy.perSwap'],
  ['perHour: 100000 USD', 'perHour: 100 USD', 'policy.notional.perHour (100 USD) is below perSwap'],
  ['maxDeviation: 100 bps', 'maxDeviation: 10 bps', 'leaves no room for quote.slippage'],
  ['maxDeviation: 100 bps', 'maxDeviation: 100 bps\n  minReferences: 4', 'too few for WETH/USDC'],
])('doctor: a policy under which nothing could be swapped: %s', async (from, to, sentence) => {
  const { code, bad } = await doctor(yaml.replace(from, to))
  expect(code).toBe(2)
  expect(bad.map(({ actual }) => actual).join('\n')).toContain(sentence)
})

test('doctor: neither a second endpoint nor bands, a line for each', async () => {
  const warnings = async (text: string) =>
    (await doctor(text)).bad.map(({ name, state, actual }) => [name, state, actual])
  const unbound = yaml.replace(/ {2}bands: .*\n/, '')
  const one = 'none: one endpoint makes every price of the chain'
  expect(await warnings(unbound)).toEqual([
    ['prices of two endpoints', 'warn', one],
    ['price bands', 'warn', 'none for ETH, WETH, USDC'],
  ])
  expect(await warnings(yaml.replace(', USDC: { min: 0.9 USD, max: 1.1 USD }', ''))).toEqual([
    ['prices of two endpoints', 'warn', one],
    ['price bands', 'warn', 'none for USDC'],
  ])
})
