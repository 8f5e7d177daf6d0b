import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { decodeFunctionResult, encodeFunctionResult, keccak256 } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { scenarioProbeAbi } from '../../contracts/abi/scenarioProbe.ts'
import { getBlock } from '../../src/chain/calls/node.ts'
import { createRpc } from '../../src/chain/rpc/createRpc.ts'
import { type Anvil, anvilCalls, startAnvil } from '../../src/sandbox/startAnvil.ts'
import { goodYaml } from '../config/goodYaml.ts'
import { type Lies, startLyingNode } from '../support/lyingNode.ts'
import { startRelay } from '../support/startRelay.ts'
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
const dai = '0x5fbdb2315678afecb367f032d93f642f64180ab0'
const wallet = '0x5fbdb2315678afecb367f032d93f642f64180aa9'

let anvil: Anvil
let rpc: ReturnType<typeof createRpc>
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
  rpc = createRpc({ url: anvil.rpcUrl })
  const code = answering(1)
  await rpc.request(anvilCalls.setCode(router, code))
  await rpc.request(anvilCalls.setCode(executor, code))
  await rpc.request(anvilCalls.setCode(weth, answering(18)))
  await rpc.request(anvilCalls.setCode(usdc, answering(6)))
  await rpc.request(anvilCalls.setCode(dai, answering(18)))
  await rpc.request(anvilCalls.setBalance(wallet, 10n ** 18n))
  // The first block has none before it, which the probe looks at.
  await rpc.request(anvilCalls.mine)
  born = (await rpc.request(getBlock('latest')))?.timestamp ?? 0
  await rpc.request(anvilCalls.setCode(wethFeed, answeringRound(300_050_000_000n, born)))
  await rpc.request(anvilCalls.setCode(usdcFeed, answeringRound(100_000_000n, born)))
  yaml = pricedYaml
    .replace('http://127.0.0.1:8545', anvil.rpcUrl)
    .replace('127.0.0.1:8546', `127.0.0.1:${port}`)
    .replace(/routerCodeHash: .*/, `routerCodeHash: "${keccak256(code)}"`)
})
afterAll(async () => {
  service.closeAllConnections()
  service.close()
  await rpc.close()
  await anvil.close()
})

type Finding = { name: string; state: string; expected?: string; actual: string }

/** A machine of the suite may have little room. */
const isBad = ({ name, state }: Finding) => state !== 'ok' && name !== 'disk'

async function doctor(text: string, environment: Record<string, string> = {}) {
  const cwd = mkdtempSync(join(tmpdir(), 'ballast-doctor-'))
  writeFileSync(join(cwd, 'ballast.yaml'), text)
  // However long the tests before took, the newest block is new.
  await rpc.request(anvilCalls.mine)
  const { code, stdout } = await callCli(['doctor', '--json'], { cwd, environment })
  const { ok, findings } = JSON.parse(stdout) as { ok: boolean; findings: Finding[] }
  return { code, ok, findings, bad: findings.filter(isBad) }
}

test('doctor: everything in place', async () => {
  const { code, ok, bad, findings } = await doctor(yaml)
  expect({ code, ok, bad }).toEqual({ code: 0, ok: true, bad: [] })
  expect(findings.map(({ name }) => name)).toEqual([
    'configuration',
    'policy',
    'allowances',
    'prices of two endpoints',
    'price bands',
    'strategies',
    'database',
    'disk',
    'journal',
    'RPC endpoint',
    'newest block',
    'gas of a swap',
    'router',
    'executor',
    'fee signer',
    'call tracing',
    'simulation (eth_simulateV1)',
    'simulation (probe)',
    'proof of a swap',
    'wallet',
    'wallet key',
    'balance for gas',
    'token WETH',
    'token USDC',
    'feed WETH/USD',
    'feed USDC/USD',
    'quoting service',
    'chain of the service',
    `reference feed WETH/USD ${wethFeed}`,
    `reference feed USDC/USD ${usdcFeed}`,
    'reference prices',
  ])
  expect(findings.at(-3)?.actual).toMatch(/^3000\.5 USD per WETH, \d+ s old$/)
  expect(findings.at(-1)?.actual).toBe('3 pairs have enough')
})

test('doctor: the name of a reference begins beside its value in 80 columns', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'ballast-doctor-'))
  writeFileSync(join(cwd, 'ballast.yaml'), yaml)
  await rpc.request(anvilCalls.mine)
  const { stdout } = await callCli(['doctor'], { cwd, columns: 80 })
  expect(stdout).toMatch(
    /^ok {2}reference feed WETH\/USD +3000\.5 USD per WETH, \d+ s old\n {4}0x0000…00f1$/m,
  )
})

test('doctor: a price the wrong way round warns, and is no failure', async () => {
  // Bands would refuse it.
  const { code, bad } = await doctor(
    yaml.replace(/ {2}bands: .*\n/, '').replace('price: 2950 USDC', 'price: 2950 WETH per USDC'),
  )
  expect(code).toBe(0)
  expect(bad.filter(({ name }) => name.startsWith('price of'))).toEqual([
    {
      name: 'price of sell-strength',
      state: 'warn',
      expected: 'half to twice the market',
      actual:
        'its price 0.0003389 USDC per WETH is 99.99 % below the market of 3000.5 USDC per WETH: it holds no swap back; the other way round it is 2950 USDC per WETH',
    },
  ])
})

test('doctor: a reference that is stale, one that is no feed, and a pair nobody prices', async () => {
  await rpc.request(anvilCalls.setCode(wethFeed, answeringRound(1n, born - 3_601)))
  const stale = await doctor(yaml)
  const passed = ((await rpc.request(getBlock('latest')))?.timestamp ?? 0) - born
  await rpc.request(anvilCalls.setCode(wethFeed, '0x'))
  const gone = await doctor(yaml)
  await rpc.request(anvilCalls.setCode(wethFeed, answeringRound(300_050_000_000n, born)))
  expect(stale).toMatchObject({
    code: 4,
    bad: [{ actual: `its answer is ${3_601 + passed} s old, at most 3600 s are allowed` }],
  })
  expect(gone).toMatchObject({ code: 4, bad: [{ name: `reference feed WETH/USD ${wethFeed}` }] })
  const unpriced = await doctor(yaml.replace(/.*USDC\/USD.*\n/, ''))
  expect(unpriced.code).toBe(2)
  expect(unpriced.bad).toMatchObject([
    { name: 'reference prices', state: 'fail', actual: 'too few for WETH/USDC, USDC/USD' },
  ])
})

test('doctor: a stablecoin that its own feed says is none', async () => {
  const { code, bad } = await doctor(
    yaml.replace('\npolicy:', '\npolicy:\n  stablecoins: { WETH: 100 bps, USDC: 100 bps }'),
  )
  expect(bad).toMatchObject([
    {
      name: 'peg of WETH',
      expected: 'within 100 bps of one US dollar (policy.stablecoins)',
      actual: expect.stringMatching(/^3000\.5 USD per WETH, 29995000 bps off/),
    },
  ])
  expect(code).toBe(2)
})

test('doctor: what does in place of an approval, for each token that is given permits', async () => {
  const { findings } = await doctor(
    yaml.replace('\npolicy:', '\npolicy:\n  permits: [WETH, USDC]\n  allowances: [3 WETH]'),
  )
  const none = 'it takes none as EIP-2612 has them'
  expect(findings.filter(({ name }) => name.startsWith('permits'))).toMatchObject([
    {
      name: 'permits of WETH',
      state: 'warn',
      actual: `${none}, and this chain has no Permit2: approvals do instead`,
    },
    {
      name: 'permits of USDC',
      state: 'warn',
      actual: `${none}, and policy.allowances, which Permit2 needs, does not name it: approvals do instead`,
    },
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

test('doctor: a token that tells its decimals and no balance', async () => {
  // Answers 6 where the call has a selector alone, and reverts otherwise.
  await rpc.request(anvilCalls.setCode(usdc, '0x60053610600a575f5ffd5b60065f5260205ff3'))
  try {
    const { code, bad } = await doctor(yaml)
    expect(code).not.toBe(0)
    expect(bad).toMatchObject([{ name: 'token USDC: its balance', state: 'fail' }])
  } finally {
    await rpc.request(anvilCalls.setCode(usdc, answering(6)))
  }
})

test('doctor: for a person', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'ballast-doctor-'))
  writeFileSync(join(cwd, 'ballast.yaml'), yaml.replace('decimals: 6', 'decimals: 8'))
  const { code, stdout } = await callCli(['doctor'], { cwd })
  expect(code).toBe(2)
  expect(stdout).toMatch(/^ok {4}router +code hash 0x/m)
  expect(stdout).toMatch(/^fail {2}token USDC +6 decimals \(expected 8 decimals\)$/m)
  expect(stdout).toMatch(
    /1 of 31 failed\.\nNext: correct what failed above, then ballast doctor\n$/,
  )
})

test.each([['text'], ['JSON', '--json']])(
  'doctor: one that is stopped concludes nothing, %s',
  async (_, ...json) => {
    const cwd = mkdtempSync(join(tmpdir(), 'ballast-doctor-'))
    const stop = new AbortController()
    const slow = createServer(() => stop.abort())
    await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve))
    const { port } = slow.address() as AddressInfo
    writeFileSync(
      join(cwd, 'ballast.yaml'),
      yaml.replace(/(service:\n {2}url: ).*/, `$1http://127.0.0.1:${port}`),
    )
    const call = { cwd, signal: stop.signal }
    const told = await callCli(['doctor', ...json], call)
    slow.closeAllConnections()
    slow.close()
    expect(told).toEqual({
      ...{ code: 130, stdout: '' },
      stderr: 'Interrupted: not everything was looked at, so doctor concludes nothing.\n',
    })
  },
)

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

test('doctor: a token that calls itself otherwise than the file does', async () => {
  const tether = '0x00000000000000000000000000000000000000e4'
  // 6 to every call, and to symbol() the text USDT.
  const [toSymbol, six, usdt] = [
    '60003560e01c6395d89b4114601957',
    '600660005260206000f3',
    '5b602060005260046020526355534454' + '60e01b60405260606000f3',
  ]
  await rpc.request(anvilCalls.setCode(tether, `0x${toSymbol}${six}${usdt}`))
  const { code, bad } = await doctor(yaml.replace(usdc, tether))
  expect(code).toBe(0)
  expect(bad).toEqual([
    {
      name: 'token USDC',
      state: 'warn',
      expected: '6 decimals, and USDC',
      actual: '6 decimals, and it calls itself USDT',
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
  const other = yaml.replace('chainId: 31337', 'chainId: 31338')
  const { code, bad } = await doctor(other)
  expect(code).toBe(2)
  const wrong = [
    { name: 'RPC endpoint', expected: 'chain 31338' },
    { name: 'chain of the service', actual: 'local is 31337' },
  ]
  // It may be a real one, and no person hears of its bot.
  expect(bad).toMatchObject([{ name: 'alerts', state: 'warn' }, ...wrong])
  const told = [
    { HEARTBEAT_URL: 'https://alive.example/a' },
    { SLACK_WEBHOOK_URL: 'https://hook.example/a' },
  ]
  for (const one of told) expect((await doctor(other, one)).bad).toMatchObject(wrong)
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

test('doctor: who gets signed bytes where relays replace the public endpoints', async () => {
  const relay = await startRelay(anvil.rpcUrl)
  const relays = (urls: readonly string[], more = '') =>
    yaml.replace('service:\n', `  sendTo: ${JSON.stringify(urls)}${more}\nservice:\n`)
  const alone = await doctor(relays([relay.url]))
  expect(alone.code).toBe(0)
  expect(alone.bad).toMatchObject([
    {
      name: 'signed bytes',
      state: 'warn',
      actual: expect.stringMatching(/^to one private relay, never in public: /),
    },
  ])
  expect((await doctor(relays([relay.url], '\n  publicAfter: 20s'))).bad).toEqual([])
  expect((await doctor(relays([relay.url, 'http://127.0.0.1:9']))).bad).toMatchObject([
    { name: 'private relay', state: 'warn', actual: expect.stringContaining('SEND_TO') },
  ])
  expect(relay.offered).toEqual([])
  await relay.close()
  const second = await startAnvil({ chainId: 31338 })
  const wrong = await doctor(relays([second.rpcUrl], '\n  publicAfter: 20s'))
  await second.close()
  expect(wrong.code).toBe(2)
  expect(wrong.bad).toMatchObject([{ name: 'private relay', state: 'fail' }])
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

test('doctor: a strategy that policy would refuse, a line for each sentence', async () => {
  const { code, bad } = await doctor(yaml.replace('sell: 1 WETH', 'sell: 7 WETH'))
  expect(code).toBe(2)
  const line = { name: 'strategy sell-strength', state: 'fail' }
  const expected = 'swaps that policy lets through'
  expect(bad).toEqual([
    {
      ...line,
      expected,
      actual: 'Refused: policy.per-swap: expected more than 0, at most 5 WETH, got 7 WETH.',
    },
    {
      ...line,
      expected,
      // What the references say, and no band: 7 of 3000.50 USD.
      actual:
        'Refused: policy.notional-per-swap: expected at most 20000 USD a swap, got 21003.5 USD.',
    },
  ])
})

test('doctor: a price of the market that is out of its band', async () => {
  const { code, bad } = await doctor(yaml.replace('max: 8000 USD', 'max: 3000 USD'))
  expect(code).toBe(2)
  expect(bad.map(({ actual }) => actual)).toEqual([
    'Refused: policy.worth-within-band: expected 1500 USD to 3000 USD for one WETH (policy.bands), got 3000.5 USD for 1 WETH.',
  ])
})

test('doctor: the strategies of an endpoint that is away are held to the bands alone', async () => {
  const { bad } = await doctor(
    pricedYaml
      .replaceAll(/127\.0\.0\.1:854\d/g, '127.0.0.1:9')
      .replace('price: 2950 USDC', 'price: 9000 USDC'),
  )
  expect(bad.map(({ name }) => name)).toEqual([
    'strategy sell-strength',
    'RPC endpoint',
    'quoting service',
  ])
})

test.each([
  [
    'WETH where the weights name ETH',
    'weights: { ETH: 60 %, USDC: 40 % }, keep: 0.1 ETH',
    [
      '0.000000000000000018 WETH not seen: the weights name ETH and not WETH, so WETH of the wallet counts as nothing: with wrapped: WETH the two are one asset',
    ],
  ],
  [
    'ETH where the weights name WETH',
    'weights: { WETH: 60 %, USDC: 40 % }',
    [
      '1 ETH not seen: the weights name WETH and not ETH, so ETH of the wallet counts as nothing: with keep: 0.1 ETH the two are one asset',
    ],
  ],
  [
    'a token that no weight names',
    'weights: { WETH: 60 %, USDC: 40 % }, keep: 0.1 ETH',
    ['0.000000000000000018 DAI in no weight'],
  ],
  ['nothing', 'weights: { WETH: 60 %, USDC: 40 % }, keep: 0.1 ETH', []],
])('doctor: holdings that a portfolio leaves out: %s', async (_, basket, actual) => {
  const listed = actual.some((one) => one.includes('DAI'))
    ? yaml.replace('wallet: {', `  DAI: { address: "${dai}", decimals: 18 }\nwallet: {`)
    : yaml
  const { code, bad } = await doctor(
    listed.replace(
      /use: threshold\n.*/,
      `use: rebalance\n    params: { ${basket}, tolerance: 50 bps, minimum: 200 USDC }`,
    ),
  )
  expect({ code, bad }).toEqual({
    code: 0,
    bad: actual.map((one) => ({
      name: 'holdings and sell-strength',
      state: 'warn',
      expected: 'every holding in one of its weights',
      actual: one,
    })),
  })
})

const inner = <T extends { data: `0x${string}`; success: boolean }>(one: T, at: number): T =>
  at === 3 ? { ...one, success: true } : one

/** The answers of one way to simulate, bent; those of the other pass. */
const bends: Readonly<Record<string, NonNullable<Lies['bend']>>> = {
  'a block in which nothing reverts': ({ method }, answer) => {
    if (method === 'eth_simulateV1')
      for (const call of answer.result?.[0]?.calls ?? []) call.status = '0x1'
    return answer
  },
  'a transfer that moves nothing': ({ method }, answer) => {
    const calls = answer.result?.[0]?.calls
    if (method === 'eth_simulateV1' && calls?.length > 2) calls[2].returnData = calls[0].returnData
    return answer
  },
  'a transfer that fails': ({ method }, answer) => {
    const calls = answer.result?.[0]?.calls
    if (method === 'eth_simulateV1' && calls?.length > 2) calls[1].status = '0x0'
    return answer
  },
  'balances that are no numbers': ({ method }, answer) => {
    const calls = answer.result?.[0]?.calls
    if (method === 'eth_simulateV1' && calls?.length > 2) calls[0].returnData = '0x'
    return answer
  },
  'tokens that are no numbers': ({ method }, answer) => {
    const calls = answer.result?.[0]?.calls
    if (method === 'eth_simulateV1' && calls?.length > 2) calls[4].returnData = '0x'
    return answer
  },
  'the time of now': ({ method, params }, answer) => {
    const [{ blockStateCalls: [block] = [] } = {}] = params as [
      { blockStateCalls?: { blockOverrides?: object }[] },
    ]
    if (method === 'eth_simulateV1' && block?.blockOverrides !== undefined)
      answer.result[0].calls[0].returnData = `0x${'0'.repeat(63)}1`
    return answer
  },
  'no such method': ({ method }, answer) =>
    method === 'eth_simulateV1'
      ? { id: answer.id, error: { code: -32_601, message: 'the method does not exist' } }
      : answer,
  'a probe that knows no revert': ({ method, params }, answer) => {
    if (method !== 'eth_call' || params.length < 3 || answer.result === undefined) return answer
    const abi = { abi: scenarioProbeAbi, functionName: 'play' } as const
    const [number, parent, played] = decodeFunctionResult({ ...abi, data: answer.result })
    const result = encodeFunctionResult({ ...abi, result: [number, parent, played.map(inner)] })
    return { ...answer, result }
  },
}
const unfit: readonly [string, string] = [
  'fail',
  expect.stringContaining('plays no scenario as a chain does'),
]
const asMust = 'plays a transfer, a revert and a later time as a chain does'

test.each<[readonly string[], number, readonly (readonly [string, string])[]]>([
  [
    [],
    0,
    [
      ['ok', `${asMust}: the bot uses it`],
      ['ok', asMust],
    ],
  ],
  [
    ['a block in which nothing reverts'],
    2,
    [['fail', 'a call that must revert and succeeds'], ['ok', asMust], unfit],
  ],
  [
    ['a transfer that moves nothing'],
    2,
    [['fail', 'a transfer of 1 wei that takes 0'], ['ok', asMust], unfit],
  ],
  [
    ['a transfer that fails'],
    2,
    [['fail', 'a transfer of the coin that fails'], ['ok', asMust], unfit],
  ],
  [
    ['balances that are no numbers'],
    2,
    [['fail', 'a balance that is no number'], ['ok', asMust], unfit],
  ],
  [
    ['tokens that are no numbers'],
    2,
    [['fail', 'a balance of a token that is no number'], ['ok', asMust], unfit],
  ],
  [
    ['the time of now'],
    2,
    [['fail', expect.stringMatching(/^the time 1 for the time \d+$/)], ['ok', asMust], unfit],
  ],
  [
    ['no such method'],
    0,
    [
      ['ok', expect.stringContaining('not to be had, and not used: ')],
      ['ok', `${asMust}: the bot uses it`],
    ],
  ],
  [
    ['a probe that knows no revert'],
    0,
    [
      ['ok', `${asMust}: the bot uses it`],
      ['warn', 'a call that must revert and succeeds'],
    ],
  ],
  [
    ['no such method', 'a probe that knows no revert'],
    2,
    [
      ['ok', expect.stringContaining('not to be had, and not used: ')],
      ['fail', 'a call that must revert and succeeds'],
      unfit,
    ],
  ],
])('doctor: both simulations are played through: %s', async (lies, code, lines) => {
  const bend: Lies['bend'] = (asked, answer) =>
    lies.reduce((bent, lie) => bends[lie]?.(asked, bent) ?? bent, answer)
  const node = await startLyingNode(anvil.rpcUrl, { bend })
  const told = await doctor(yaml.replace(anvil.rpcUrl, node.url))
  await node.close()
  const played = told.findings.filter(({ name }) => name.startsWith('simulation'))
  expect({ code: told.code, lines: played.map(({ state, actual }) => [state, actual]) }).toEqual({
    code,
    lines,
  })
})

test('doctor: a witness plays both as well', async () => {
  const bend = bends['a block in which nothing reverts']
  const node = await startLyingNode(anvil.rpcUrl, bend === undefined ? {} : { bend })
  const { code, bad } = await doctor(
    yaml.replace(
      'service:\n',
      `  witness: { rpcUrl: "${node.url}", above: 5000 USDC }\nservice:\n`,
    ),
  )
  await node.close()
  expect(code).toBe(2)
  expect(bad).toMatchObject([
    { name: 'witness simulation (eth_simulateV1)', state: 'fail' },
    { name: 'witness simulation', state: 'fail' },
  ])
})

test.each<[says: string, code: number, bend: Lies['bend'], line: object]>([
  [
    'known',
    0,
    (_, answer) => answer,
    { state: 'ok', actual: expect.stringMatching(/^\d+ is finalized, \d+ s behind the newest$/) },
  ],
  [
    'unknown',
    2,
    (asked, answer) => (asked.params[0] === 'finalized' ? { ...answer, result: null } : answer),
    { state: 'fail', actual: 'none: write a number of blocks as chain.confirmations' },
  ],
])('doctor: the word for final blocks is %s', async (_says, code, bend, line) => {
  const node = await startLyingNode(anvil.rpcUrl, bend === undefined ? {} : { bend })
  const told = await doctor(
    yaml.replace(anvil.rpcUrl, node.url).replace(/confirmations: \d+/, 'confirmations: finalized'),
  )
  await node.close()
  expect(told.code).toBe(code)
  expect(told.findings.find(({ name }) => name === 'final block')).toMatchObject(line)
})

/** A node that has dropped all state but the newest, in the words of Geth. */
const forgetful: Lies['bend'] = ({ method, params }, answer) =>
  method === 'eth_getTransactionCount' && params[1] !== 'latest'
    ? { id: answer.id, error: { code: -32_000, message: 'missing trie node 0xab (path )' } }
    : answer

test.each<[confirmations: string, sentence: RegExp]>([
  [
    'finalized',
    /^The RPC endpoint keeps no state of block \d+ \(finalized\), so every swap would stay undecided: use a node that keeps it, or write a number of blocks at ballast\.yaml:\d+:\d+\.$/,
  ],
  [
    '1',
    /^The RPC endpoint keeps no state of block \d+ \(1 blocks deep\), so every swap would stay undecided: use a node that keeps it, or write fewer blocks at ballast\.yaml:\d+:\d+\.$/,
  ],
])(
  'doctor: a final block without state fails at each node, %s',
  async (confirmations, sentence) => {
    const node = await startLyingNode(anvil.rpcUrl, { bend: forgetful })
    const second = await startLyingNode(anvil.rpcUrl, { bend: forgetful })
    const deep = yaml.replace(/confirmations: \d+/, `confirmations: ${confirmations}`)
    const first = await doctor(deep.replace(anvil.rpcUrl, node.url))
    const others = await doctor(
      deep.replace(
        'service:\n',
        `  fallbackUrls: ["${node.url}"]\n  witness: { rpcUrl: "${second.url}", above: 5000 USDC }\nservice:\n`,
      ),
    )
    await node.close()
    await second.close()
    const line = { state: 'fail', actual: expect.stringMatching(sentence) }
    expect(first).toMatchObject({ code: 2, bad: [{ name: 'final block', ...line }] })
    expect(others).toMatchObject({
      code: 2,
      bad: [
        { name: 'witness final block', ...line },
        { name: 'fallback 1 final block', ...line },
      ],
    })
  },
)

test('doctor: a node that fails as its final block is read is away', async () => {
  const bend: Lies['bend'] = (asked, answer) =>
    forgetful(asked, answer) === answer
      ? answer
      : { id: answer.id, error: { code: -32_603, message: 'internal error' } }
  const node = await startLyingNode(anvil.rpcUrl, { bend })
  const told = await doctor(yaml.replace(anvil.rpcUrl, node.url))
  await node.close()
  expect(told).toMatchObject({ code: 4, bad: [{ name: 'final block', expected: 'an answer' }] })
})
