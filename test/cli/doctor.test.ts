import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keccak256 } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRpc } from '../../src/chain/rpc/createRpc.ts'
import { anvilCalls } from '../../src/sandbox/anvilCalls.ts'
import { type Anvil, startAnvil } from '../../src/sandbox/startAnvil.ts'
import { goodYaml } from '../config/goodYaml.ts'
import { callCli } from './callCli.ts'

/** A contract that answers any call with one number: that is all `decimals()` needs. */
const answering = (value: number) =>
  `0x60${value.toString(16).padStart(2, '0')}60005260206000f3` as const

const router = '0x5FbDB2315678afecb367f032d93F642f64180aa3'
const executor = '0x5fbdb2315678afecb367f032d93f642f64180aa4'
const weth = '0x5fbdb2315678afecb367f032d93f642f64180aa7'
const usdc = '0x5fbdb2315678afecb367f032d93f642f64180aa8'
const wallet = '0x5fbdb2315678afecb367f032d93f642f64180aa9'

let anvil: Anvil
let yaml: string
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
  await rpc.close()
  yaml = goodYaml
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
    'database',
    'journal',
    'RPC endpoint',
    'newest block',
    'router',
    'executor',
    'call tracing',
    'wallet',
    'wallet key',
    'balance for gas',
    'token WETH',
    'token USDC',
    'quoting service',
    'chain of the service',
  ])
})

test('doctor: for a person', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'ballast-doctor-'))
  writeFileSync(join(cwd, 'ballast.yaml'), yaml.replace('decimals: 6', 'decimals: 8'))
  const { code, stdout } = await callCli(['doctor'], { cwd })
  expect(code).toBe(2)
  expect(stdout).toMatch(/^ok {4}router +code hash 0x/m)
  expect(stdout).toMatch(/^fail {2}token USDC +6 decimals \(expected 8 decimals\)$/m)
  expect(stdout).toMatch(/1 of 15 failed\.\n$/)
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

test('doctor: a wallet that delegates warns, the key of another wallet fails', async () => {
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

test('doctor: another chain', async () => {
  const { code, bad } = await doctor(yaml.replace('chainId: 31337', 'chainId: 31338'))
  expect(code).toBe(2)
  expect(bad).toMatchObject([
    { name: 'RPC endpoint', expected: 'chain 31338' },
    { name: 'chain of the service', actual: 'local is 31337' },
  ])
})

test('doctor: nobody answers', async () => {
  const { code, bad } = await doctor(goodYaml.replaceAll(/127\.0\.0\.1:854\d/g, '127.0.0.1:9'))
  expect(code).toBe(4)
  expect(bad.map(({ name }) => name)).toEqual(['RPC endpoint', 'quoting service'])
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
