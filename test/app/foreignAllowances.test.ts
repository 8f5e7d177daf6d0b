import { readFileSync, writeFileSync } from 'node:fs'
import { encodeFunctionData, pad, toEventSelector } from 'viem'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { erc20Abi } from '../../src/chain/abi/contracts.ts'
import { getTransactionCount } from '../../src/chain/calls/account.ts'
import { readContract } from '../../src/chain/calls/readContract.ts'
import type { Address } from '../../src/core/token.ts'
import { anvilCalls } from '../../src/sandbox/startAnvil.ts'
import { callCli } from '../cli/callCli.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { type Lies, startLyingNode } from '../support/lyingNode.ts'
import { openBot } from '../support/openBot.ts'
import { transact } from '../support/transact.ts'

let fork: Fork
let node: Awaited<ReturnType<typeof startLyingNode>>
beforeEach(async () => {
  fork = await forkOrigin()
  node = await startLyingNode(fork.ready.rpcUrl)
  const { config, rpcUrl } = fork.ready
  writeFileSync(config, readFileSync(config, 'utf8').replace(rpcUrl, node.url))
})
afterEach(async () => {
  await node.close()
  await fork.close()
})

const stranger = `0x${'ab'.repeat(20)}` as Address
const counterfeit = `0x${'c0'.repeat(20)}` as Address
const usdc = () => fork.ready.tokens.USDC?.address as Address
const treasury = () => {
  const { address = '0x', privateKey = '0x' } = fork.ready.wallets.treasury ?? {}
  return { address, privateKey }
}

/** From outside: no bot has it in its books. */
const approve = (wei: bigint) =>
  transact(fork.rpc, {
    privateKey: treasury().privateKey,
    to: usdc(),
    data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [stranger, wei] }),
  })
const allowed = () =>
  fork.rpc.request(
    readContract({
      ...{ address: usdc(), abi: erc20Abi, functionName: 'allowance' },
      args: [treasury().address, stranger],
    }),
  )

const word = (hex: string) => pad(hex as Address, { size: 32 }).slice(2)

/** A contract that logs an approval of the wallet at every call, and answers 1 to all of them. */
async function plantCounterfeit() {
  const topics = [
    stranger,
    treasury().address,
    toEventSelector('Approval(address,address,uint256)'),
  ]
  const code: Address = `0x${topics.map((topic) => `7f${word(topic)}`).join('')}60006000a3600160005260206000f3`
  await fork.rpc.request(anvilCalls.setCode(counterfeit, code))
  await transact(fork.rpc, {
    privateKey: fork.ready.makers[Object.keys(fork.ready.makers)[0] ?? '']?.privateKey ?? '0x',
    ...{ to: counterfeit, data: '0x' },
  })
}

const ballast = (...args: string[]) =>
  callCli([...args, '--config', fork.ready.config], { cwd: fork.dataDir })

/** A node that gives three blocks of all logs at a time. */
const few = {
  bend: ({ method, params }: { method: string; params: readonly unknown[] }, answer: object) => {
    const { address, fromBlock, toBlock } = (params[0] ?? {}) as Record<string, string>
    return method === 'eth_getLogs' &&
      address === undefined &&
      Number(toBlock) - Number(fromBlock) >= 3
      ? { ...answer, result: undefined, error: { code: -32_602, message: 'range too large' } }
      : answer
  },
}

/** A node that gives no logs. */
const blind: Lies = {
  bend: ({ method }, answer) =>
    method === 'eth_getLogs'
      ? { ...answer, result: undefined, error: { code: -32_602, message: 'no logs here' } }
      : answer,
}

test('revoke: an approval that no book has is found by the logs of the chain, and taken back', async () => {
  await approve(5_000_000n)
  await plantCounterfeit()
  node.lie(few)
  const stands = `5 USDC to ${stranger}, of no book: stands.`
  const fake = new RegExp(`^1 ${counterfeit} to ${stranger}, of no book: stands; to take it back`)
  const listed = await ballast('revoke')
  expect(listed.code).toBe(0)
  const lines = listed.stdout.toLowerCase().trim().split('\n')
  expect(lines.sort()).toEqual([expect.stringMatching(fake), stands.toLowerCase()])
  expect(await allowed()).toBe(5_000_000n)

  const { address } = treasury()
  const before = await fork.rpc.request(getTransactionCount(address))
  const taken = await ballast('revoke', '--live')
  expect(`${taken.stdout}${taken.stderr}`.toLowerCase()).toContain(
    `5 usdc to ${stranger}, of no book: taken back.`,
  )
  expect(await allowed()).toBe(0n)
  // One transaction: a contract that is no configured token is never called by the wallet.
  expect(await fork.rpc.request(getTransactionCount(address))).toBe(before + 1)
  const reconciled = await ballast('reconcile')
  expect([reconciled.stdout, reconciled.code]).toEqual([expect.any(String), 0])

  const bot = await openBot(fork)
  expect(await bot.journal.swaps.open()).toEqual([])
  const [record] = await bot.journal.swaps.history({ limit: 1 })
  expect(record).toMatchObject({ state: 'ABANDONED', code: 'REVOKED' })
  await bot.close()
})

test('revoke: where the chain cannot be searched, that is said, and the exit code is not 0', async () => {
  await approve(5_000_000n)
  node.lie(blind)
  const { stdout, stderr, code } = await ballast('revoke')
  expect({ stdout: stdout.trim(), code }).toEqual({
    stdout: 'No allowance stands by the journal.',
    code: 4,
  })
  expect(stderr).toContain('The chain was not searched')
})

test('revoke --live: what the journal knows is taken back also where the chain cannot be searched', async () => {
  const bot = await openBot(fork)
  const stop = new AbortController()
  const sign: typeof bot.train.signer.sign = async (what) => {
    if (what.kind === 'SWAP') stop.abort()
    return bot.train.signer.sign(what)
  }
  const wish = { sell: '1000 USDC', buy: 'WETH', floor: '0.3 WETH' }
  await bot.swap(wish, { signer: { ...bot.train.signer, sign } }, stop.signal)
  const wallet = bot.config.wallet.address
  const router = fork.ready.router
  const left = () =>
    fork.rpc.request(
      readContract({
        ...{ address: usdc(), abi: erc20Abi, functionName: 'allowance' },
        args: [wallet, router],
      }),
    )
  expect(await left()).toBe(1_000_000_000n)
  await bot.close()
  node.lie(blind)
  const { stdout, stderr, code } = await ballast('revoke', '--live')
  expect([stdout, code]).toEqual([expect.stringContaining('taken back'), 4])
  expect(stderr).toContain('The chain was not searched')
  expect(await left()).toBe(0n)
})

test('revoke --from a block that is not there yet is refused', async () => {
  const { stderr, code } = await ballast('revoke', '--from', '1000000')
  expect([stderr, code]).toEqual([expect.stringContaining('is above the newest block'), 2])
})
