import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseTransaction, zeroAddress } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { carryOut, type DeploymentSite } from '../../../src/app/deploy/carryOut.ts'
import { designOf, lookAt } from '../../../src/app/deploy/design.ts'
import { readFees } from '../../../src/app/readFees.ts'
import { openDeploymentLog } from '../../../src/bot/journal/deployment/openDeploymentLog.ts'
import { createExactSigner } from '../../../src/bot/sign/createSigner.ts'
import { localKey } from '../../../src/bot/sign/localKey.ts'
import { getTransactionCount } from '../../../src/chain/calls/account.ts'
import { create2Proxy } from '../../../src/chain/create2Proxy.ts'
import type { Rpc, RpcCall } from '../../../src/chain/rpc/rpc.ts'
import { type Clock, systemClock } from '../../../src/core/clock.ts'
import { secret } from '../../../src/core/secret.ts'
import type { Token } from '../../../src/core/token.ts'
import { anvilCalls } from '../../../src/sandbox/startAnvil.ts'
import { deployer, deployerKey, freshMaker, freshMakerKey, owner } from '../../support/deployer.ts'
import { type Fork, forkOrigin } from '../../support/forkOrigin.ts'
import { transact } from '../../support/transact.ts'

let fork: Fork
let before: unknown
beforeAll(async () => {
  fork = await forkOrigin({ mining: 'auto' })
  for (const account of [deployer, freshMaker])
    await fork.rpc.request(anvilCalls.setBalance(account, 10n ** 18n))
  // Every step is left to do, the keyless creation among them: what has created something cannot be created itself.
  await fork.rpc.request(anvilCalls.setCode(create2Proxy.address, '0x'))
  await fork.rpc.request(of('anvil_setNonce', create2Proxy.address, '0x0'))
})
beforeEach(async () => {
  before = await fork.rpc.request(of('evm_snapshot'))
})
afterEach(() => fork.rpc.request(of('evm_revert', before)))
afterAll(() => fork.close())

const of = (method: string, ...params: unknown[]): RpcCall<unknown> => ({
  method,
  params,
  parse: (answer) => answer,
})

/** A node that is gone from its nth request on: before the request reaches it, or before its answer comes back. */
function dyingAt(rpc: Rpc, { last, answered }: { last: number; answered: boolean }) {
  let count = 0
  const guarded = async <value>(request: () => Promise<value>): Promise<value> => {
    count += 1
    if (count > last) throw new Error('killed')
    if (count < last) return request()
    if (answered) await request()
    throw new Error('killed')
  }
  const dying: Rpc = {
    ...rpc,
    request: (call) => guarded(() => rpc.request(call)),
    batch: (calls) => guarded(() => rpc.batch(calls)),
  }
  return { dying, requests: () => count }
}

const wrapped: Token = { chainId: 31337, symbol: 'WETH', decimals: 18, address: zeroAddress }

function design() {
  const token = (symbol: string) => ({ ...wrapped, symbol, ...fork.ready.tokens[symbol] }) as Token
  return designOf({
    ...{ deployer, owner, feeSigner: fork.ready.feeSigner.address, wrapped: token('WETH') },
    ...{ v2Factory: zeroAddress, v3Factory: zeroAddress, makers: [freshMaker] },
    ...{ signing: [freshMaker], tokens: [token('USDC')] },
  })
}

/** One run of the command, with a log of its own name: it opens it, and its end closes it, whatever that is. */
async function runOn(rpc: Rpc, { name, ...change }: { name: string } & Partial<DeploymentSite>) {
  const log = openDeploymentLog(join(fork.dataDir, `${name}.jsonl`), 31337)
  const keys = [deployerKey, freshMakerKey].map((key) => localKey(secret(key)))
  const policy = { gasPriceMax: 100_000_000_000n, tipMax: 5_000_000_000n }
  try {
    await carryOut({
      design: design(),
      chain: { chainId: 31337, confirmations: 0, blockTimeMs: 1_000 },
      ...{ rpc, log, endpoints: [rpc] },
      signerOf: (account) => {
        const holder = keys.find(({ address }) => address === account)
        if (holder === undefined) throw new Error('one of the two')
        return createExactSigner(holder, account)
      },
      fees: () => readFees({ rpc, witness: undefined, clock: systemClock }, policy),
      gasPriceMax: policy.gasPriceMax,
      guard: () => {},
      // A look every few milliseconds: the chain mines at once.
      clock: { ...systemClock, sleep: () => systemClock.sleep(2) },
      signal: new AbortController().signal,
      note: () => {},
      ...change,
    })
  } finally {
    log.close()
  }
}

test.for([
  ['before it reaches the node', false],
  ['before its answer is back', true],
] as const)(
  'carryOut: killed at any request, %s: the next run ends it, with no transaction twice',
  async ([, answered]) => {
    const { rpc } = fork
    let last = 1
    for (; ; last += 1) {
      await rpc.request(of('evm_revert', before))
      before = await rpc.request(of('evm_snapshot'))
      const name = `killed-${answered}-${last}`
      const { dying, requests } = dyingAt(rpc, { last, answered })
      await runOn(dying, { name }).catch(() => undefined)
      if (requests() < last) break
      await runOn(rpc, { name })
      const left = (await lookAt(rpc, design())).filter(({ done }) => !done)
      const nonces = [deployer, freshMaker].map((one) => rpc.request(getTransactionCount(one)))
      const lines = readFileSync(join(fork.dataDir, `${name}.jsonl`), 'utf8')
        .trimEnd()
        .split('\n')
      const signed = lines.map((line) => JSON.parse(line)).map(({ from, nonce }) => from + nonce)
      expect(new Set(signed).size, 'nothing is signed twice').toBe(signed.length)
      // Money for the proxy and the router; one approval.
      const expected = { last, left: [], nonces: [2, 1] }
      expect({ last, left, nonces: await Promise.all(nonces) }).toEqual(expected)
    }
    expect(last).toBeGreaterThan(20)
    // What is signed in it may still be sent: nobody else reads it.
    const { mode } = statSync(join(fork.dataDir, `killed-${answered}-1.jsonl`))
    expect(mode & 0o777).toBe(0o600)
  },
)

test('carryOut: a step that is mined between the look at it and the look at the nonce is not signed again', async () => {
  const { rpc } = fork
  await rpc.request(of('evm_setAutomine', false))
  const dying: Rpc = {
    ...rpc,
    async request(call) {
      const answer = await rpc.request(call)
      if (call.method === 'eth_sendRawTransaction') throw new Error('killed')
      return answer
    },
  }
  const stopped: Clock = { ...systemClock, sleep: () => Promise.reject(new Error('killed')) }
  await expect(runOn(dying, { name: 'between', clock: stopped })).rejects.toThrow('killed')
  let mined = false
  const mining: Rpc = {
    ...rpc,
    async batch(calls) {
      const isNonce = calls.some(({ params }) => params.includes('pending'))
      if (isNonce && !mined) {
        mined = true
        await rpc.request(anvilCalls.mine)
        await rpc.request(anvilCalls.mineAtOnce)
      }
      return rpc.batch(calls)
    },
  }
  await runOn(mining, { name: 'between' })
  const nonces = [deployer, freshMaker].map((one) => rpc.request(getTransactionCount(one)))
  expect([mined, await Promise.all(nonces)]).toEqual([true, [2, 1]])
})

test('carryOut: a transaction that waits too long is outbid under its nonce; of both, one is mined', async () => {
  const { rpc } = fork
  await rpc.request(anvilCalls.setCode(create2Proxy.address, create2Proxy.code))
  await rpc.request(of('evm_setAutomine', false))
  const sent: string[] = []
  const listening: Rpc = {
    ...rpc,
    request(call) {
      if (call.method === 'eth_sendRawTransaction') sent.push(String(call.params[0]))
      return rpc.request(call)
    },
  }
  let now = 0
  const clock: Clock = {
    now: () => now,
    async sleep(milliseconds) {
      now += milliseconds
      if (sent.length >= 2) await rpc.request(anvilCalls.mine)
    },
  }
  await runOn(listening, { name: 'slow', clock }).finally(() => rpc.request(anvilCalls.mineAtOnce))
  const [first, second] = sent.map((raw) => parseTransaction(raw as `0x${string}`))
  expect(second).toMatchObject({ nonce: 0, to: first?.to, data: first?.data })
  expect(second?.maxFeePerGas).toBeGreaterThan(first?.maxFeePerGas ?? 0n)
  expect(await rpc.request(getTransactionCount(deployer))).toBe(1)
})

test('carryOut: another user of the account takes the nonce: said after twenty looks for a receipt, and nothing more is signed', async () => {
  const { rpc } = fork
  let looks = 0
  const shared: Rpc = {
    ...rpc,
    async request(call) {
      if (call.method !== 'eth_sendRawTransaction') return rpc.request(call)
      await transact(rpc, { privateKey: deployerKey, to: owner, data: '0x', value: 1n })
      throw new Error('lost on its way')
    },
    async batch(calls) {
      if (calls.some(({ method }) => method === 'eth_getTransactionReceipt')) looks += 1
      return rpc.batch(calls)
    },
  }
  await expect(runOn(shared, { name: 'taken' })).rejects.toMatchObject({
    code: 'NONCE_TAKEN',
    facts: { account: deployer, nonce: 0 },
  })
  const signed = readFileSync(join(fork.dataDir, 'taken.jsonl'), 'utf8').trimEnd().split('\n')
  expect({ looks, signed: signed.length }).toEqual({ looks: 21, signed: 1 })
})

test('carryOut: a step whose transaction changes nothing is paid for once, and given up', async () => {
  const { rpc } = fork
  const nothing = {
    ...design(),
    tokens: [{ ...wrapped, address: privateKeyToAccount(`0x${'3d'.repeat(32)}`).address }],
  }
  await rpc.request(
    anvilCalls.setCode(nothing.tokens[0]?.address ?? zeroAddress, '0x60005f5260205ff3'),
  )
  await expect(runOn(rpc, { name: 'deaf', design: nothing })).rejects.toMatchObject({
    code: 'DEPLOYMENT_FAILED',
    facts: { step: expect.stringContaining('WETH') },
  })
  expect(await rpc.request(getTransactionCount(freshMaker))).toBe(1)
})
