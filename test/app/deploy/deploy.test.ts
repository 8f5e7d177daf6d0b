import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { keccak256, parseAbi } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { swapRouterAbi } from '../../../contracts/abi/swapRouter.ts'
import { erc20Abi } from '../../../src/chain/abi/contracts.ts'
import { getCode, getTransactionCount } from '../../../src/chain/calls/account.ts'
import { readContract } from '../../../src/chain/calls/readContract.ts'
import { sendRawTransaction } from '../../../src/chain/calls/sendRawTransaction.ts'
import { create2Proxy } from '../../../src/chain/create2Proxy.ts'
import type { RpcCall } from '../../../src/chain/rpc/rpc.ts'
import type { Address } from '../../../src/core/token.ts'
import { anvilCalls } from '../../../src/sandbox/startAnvil.ts'
import { expectGolden } from '../../cli/expectGolden.ts'
import { masked } from '../../cli/masked.ts'
import { deployer, deployerFolder, deployerKey, freshMaker, owner } from '../../support/deployer.ts'
import { type Fork, forkOrigin } from '../../support/forkOrigin.ts'
import { startRpcProxy } from '../../support/rpcProxy.ts'
import { opOracle } from '../../support/startRollup.ts'

let fork: Fork
let before: string

const snapshot: RpcCall<string> = { method: 'evm_snapshot', params: [], parse: String }
const revert = (id: string): RpcCall<void> => ({
  method: 'evm_revert',
  params: [id],
  parse: () => undefined,
})

beforeAll(async () => {
  fork = await forkOrigin({ mining: 'auto' })
})
beforeEach(async () => {
  before = await fork.rpc.request(snapshot)
})
afterEach(() => fork.rpc.request(revert(before)))
afterAll(() => fork.close())

const nonceOf = (account: Address) => fork.rpc.request(getTransactionCount(account))
const logIn = (cwd: string) => join(cwd, 'deployment.31337.jsonl')
const tokensOfWorld = 6

test('deploy: a preview needs no key, tells the cost, signs nothing and writes nothing', async () => {
  const { cwd, run } = await deployerFolder(fork)
  writeFileSync(join(cwd, '.env'), '')
  const preview = ['--fee-signer', fork.ready.feeSigner.address, '--json']
  const { code, stdout } = await run({ makers: [freshMaker], more: preview })
  const said = JSON.parse(stdout)
  expect([code, said.mode, said.steps.map(({ done }: { done: boolean }) => done)]).toEqual([
    0,
    'dry-run',
    [true, true, false],
  ])
  expect(BigInt(said.steps[2].gas)).toBeGreaterThan(1_000_000n)
  expect(Number.parseFloat(said.cost)).toBeGreaterThan(0)
  expect(said.routerCodeHash).toBeUndefined()
  expect([await nonceOf(deployer), existsSync(logIn(cwd))]).toEqual([0, false])
  const text = await run({ makers: [freshMaker], more: preview.slice(0, 2) })
  expect(text.stdout).toContain(`Maker ${freshMaker} must approve`)
  await expectGolden('deploy', masked(text), { folder: cwd })
})

test('deploy: an owner of which the chain knows nothing is told; a coin, a transaction or code is enough', async () => {
  const { cwd, run } = await deployerFolder(fork)
  writeFileSync(join(cwd, '.env'), '')
  const more = ['--fee-signer', fork.ready.feeSigner.address]
  const isTold = async () =>
    /did and held\s+nothing/.test((await run({ makers: [freshMaker], more })).stdout)
  expect(await isTold()).toBe(true)
  for (const [method, value] of [
    ['anvil_setBalance', '0x1'],
    ['anvil_setNonce', '0x1'],
    ['anvil_setCode', '0x00'],
  ] as const) {
    const own = await fork.rpc.request(snapshot)
    await fork.rpc.request({ method, params: [owner, value], parse: () => undefined })
    expect([method, await isTold()]).toEqual([method, false])
    await fork.rpc.request(revert(own))
  }
})

test('deploy: on the OP stack the cost has what the chain takes for the bytes', async () => {
  const { run } = await deployerFolder(fork)
  const costOf = async () => {
    const { stdout } = await run({ more: ['--json'] })
    return Number.parseFloat(JSON.parse(stdout).cost)
  }
  const without = await costOf()
  const file = new URL('../../../contracts/artifacts/GasPriceOracle.json', import.meta.url)
  const { deployedBytecode } = JSON.parse(readFileSync(file, 'utf8'))
  await fork.rpc.request(anvilCalls.setCode(opOracle, deployedBytecode))
  expect(await costOf()).toBe(without)
  // 3,000 gwei of the L1: the router's 20,000 bytes take about a thousandth of a coin.
  const word = `0x${(3_000n * 10n ** 9n).toString(16).padStart(64, '0')}`
  await fork.rpc.request({
    method: 'anvil_setStorageAt',
    params: [opOracle, '0x0', word],
    parse: () => undefined,
  })
  expect((await costOf()) - without).toBeGreaterThan(0.0005)
})

test('deploy: what stands on the chain is what was printed, and a second run sends nothing', async () => {
  const { cwd, run } = await deployerFolder(fork)
  const { code, stdout } = await run({ more: ['--live', '--json'] })
  const { router, routerCodeHash, executor, feeSigner, makers } = JSON.parse(stdout)
  expect(code).toBe(0)
  const contract = { address: router, abi: swapRouterAbi } as const
  const outcomes = await fork.rpc.batch([
    readContract({ ...contract, functionName: 'executor', args: [] }),
    readContract({ ...contract, functionName: 'owner', args: [] }),
    readContract({ ...contract, functionName: 'isFeeSigner', args: [feeSigner] }),
    ...Object.values(fork.ready.tokens).map(({ address }) =>
      readContract({
        ...{ address, abi: erc20Abi, functionName: 'allowance' },
        args: [freshMaker, router],
      }),
    ),
  ])
  const [found, owned, signs, ...allowed] = outcomes.map((one) => (one.ok ? one.value : one.error))
  expect([found, String(owned).toLowerCase(), signs]).toEqual([executor, owner, true])
  expect(allowed).toHaveLength(tokensOfWorld)
  expect(allowed.every((one) => typeof one === 'bigint' && one > 0n)).toBe(true)
  expect(keccak256(await fork.rpc.request(getCode(router)))).toBe(routerCodeHash)
  expect([feeSigner, makers]).toEqual([fork.ready.feeSigner.address, [freshMaker]])

  const nonces = [await nonceOf(deployer), await nonceOf(freshMaker)]
  expect(nonces).toEqual([1, tokensOfWorld])
  const again = await run({ more: ['--live'] })
  expect([again.code, await nonceOf(deployer), await nonceOf(freshMaker)]).toEqual([0, ...nonces])
  expect(again.stdout).toContain(`  routerCodeHash: "${routerCodeHash}"`)
  await expectGolden('deploy-live', masked(again), { folder: cwd })
})

test('deploy: signed bytes are on disk before any node sees them', async () => {
  const { cwd, run } = await deployerFolder(fork)
  const sent: boolean[] = []
  const proxy = await startRpcProxy(fork.ready.rpcUrl, {
    before({ method, params: [raw] }) {
      if (method !== 'eth_sendRawTransaction') return undefined
      sent.push(readFileSync(logIn(cwd), 'utf8').includes(`"raw":"${raw}"`))
      return undefined
    },
  })
  try {
    const { code } = await run({ more: ['--live'], environment: { RPC_URL: proxy.url } })
    expect([code, sent]).toEqual([0, Array.from({ length: 1 + tokensOfWorld }, () => true)])
  } finally {
    await proxy.close()
  }
})

test('deploy: a chain without the deployment proxy gets it by its keyless transaction', async () => {
  const { run } = await deployerFolder(fork)
  await fork.rpc.request(anvilCalls.setCode(create2Proxy.address, '0x'))
  await fork.rpc.request({
    ...anvilCalls.mine,
    method: 'anvil_setNonce',
    params: [create2Proxy.address, '0x0'],
  })
  const preview = await run({ more: ['--json'] })
  expect(JSON.parse(preview.stdout).steps.map(({ done }: { done: boolean }) => done)).not.toContain(
    true,
  )
  const { code, stderr } = await run({ more: ['--live'] })
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
  expect(await fork.rpc.request(getCode(create2Proxy.address))).toBe(create2Proxy.code)
})

test('deploy: a log line that was cut off was never sent, and is dropped; a strange one stops it', async () => {
  const { cwd, run } = await deployerFolder(fork)
  appendFileSync(logIn(cwd), '{"at":1,"step":"rou')
  expect((await run({ more: ['--live'] })).code).toBe(0)
  const lines = readFileSync(logIn(cwd), 'utf8').trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line).step)[0]).toBe('router')
  appendFileSync(logIn(cwd), '{}\n')
  const { code, stderr } = await run({ more: ['--live'] })
  expect([code, stderr]).toEqual([5, expect.stringContaining('DEPLOYMENT_LOG_DAMAGED')])
})

test('deploy: refuses a wallet that a journal spends from, before anything is signed', async () => {
  const { cwd, run } = await deployerFolder(fork)
  const { openJournal } = await import('../../../src/bot/journal/openJournal.ts')
  const { systemClock } = await import('../../../src/core/clock.ts')
  const { loadConfig } = await import('../../../src/config/loadConfig.ts')
  const config = loadConfig({ file: 'ballast.yaml', cwd, environment: {}, needs: 'deployment' })
  const journal = await openJournal({ ...config, clock: systemClock, coin: config.tokens })
  await journal.wallet.adopt({ chainId: 31337, wallet: deployer, nonceOfChain: 0 })
  await journal.shut()
  for (const more of [[], ['--live']]) {
    const { code, stderr } = await run({ more })
    expect([code, stderr]).toEqual([5, expect.stringContaining('DEPLOYER_OF_BOT')])
  }
  expect(await nonceOf(deployer)).toBe(0)
})

test('deploy: refuses where another transaction of the account waits in the pool', async () => {
  const { run } = await deployerFolder(fork)
  const { rpc } = fork
  await rpc.request({ ...anvilCalls.mineAtOnce, params: [false] })
  const raw = await privateKeyToAccount(deployerKey).signTransaction({
    ...{ type: 'eip1559', chainId: 31337, nonce: 0, to: deployer, value: 0n, gas: 21_000n },
    ...{ maxFeePerGas: 10_000_000_000n, maxPriorityFeePerGas: 1n },
  })
  await rpc.request(sendRawTransaction(raw))
  const { code, stderr } = await run({ more: ['--live'] })
  await rpc.request(anvilCalls.mineAtOnce)
  expect([code, stderr]).toEqual([5, expect.stringContaining('NONCE_PENDING')])
})

test.for([
  ['a factory that is none', ['--v2-factory', owner], 'DEPLOYMENT_UNFIT', 2],
  ['a maker without a key', ['--maker', 'nobody'], 'MAKER_KEY_NOBODY', 2],
] as const)('deploy: refuses %s', async ([, more, words, code]) => {
  const { run } = await deployerFolder(fork)
  const refused = await run({ more: [...more, '--live'] })
  expect([refused.code, refused.stderr]).toEqual([code, expect.stringContaining(words)])
  expect(await nonceOf(deployer)).toBe(0)
})

test('deploy: refuses what it cannot pay to its end, a foreign proxy, and a halt', async () => {
  const { cwd, run } = await deployerFolder(fork)
  const { rpc } = fork
  const refusal = async () => (await run({ more: ['--live'] })).stderr
  await rpc.request(anvilCalls.setBalance(freshMaker, 1n))
  expect(await refusal()).toContain('DEPLOYER_SHORT')
  await rpc.request(anvilCalls.setBalance(freshMaker, 10n ** 18n))
  await rpc.request(anvilCalls.setCode(create2Proxy.address, '0x00'))
  expect(await refusal()).toContain('DEPLOYMENT_UNFIT')
  await rpc.request(anvilCalls.setCode(create2Proxy.address, create2Proxy.code))
  writeFileSync(join(cwd, 'HALT'), '')
  expect(await refusal()).toContain('LOCKED')
  expect(await nonceOf(deployer)).toBe(0)
})

test('deploy: factories of pools become those of the executor', async () => {
  const { run } = await deployerFolder(fork)
  const pool = fork.world.pools.findIndex(({ kind }) => kind === 'uniswap-v2')
  const { inject } = await import('vitest')
  const factory = await fork.rpc.request(
    readContract({
      address: inject('origin').deployment.pools[pool] as Address,
      abi: parseAbi(['function factory() view returns (address)']),
      ...{ functionName: 'factory', args: [] },
    }),
  )
  const { code, stdout } = await run({ more: ['--v2-factory', factory, '--live', '--json'] })
  const executor = JSON.parse(stdout).executor
  const abi = parseAbi(['function v2Factory() view returns (address)'])
  const found = await fork.rpc.request(
    readContract({ address: executor, abi, functionName: 'v2Factory', args: [] }),
  )
  expect([code, found]).toEqual([0, factory])
})
