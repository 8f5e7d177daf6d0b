import { toFunctionSelector } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Drivetrain } from '../../src/bot/life/train.ts'
import { sendRawTransaction } from '../../src/chain/calls/sendRawTransaction.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { pruned, startLyingNode } from '../support/lyingNode.ts'
import { openBot } from '../support/openBot.ts'
import { openOpaqueBot } from '../support/openOpaqueBot.ts'

type Observe = Drivetrain['observe']

let fork: Fork
let node: Awaited<ReturnType<typeof startLyingNode>>
let bot: Awaited<ReturnType<typeof openOpaqueBot>>

beforeEach(async () => {
  fork = await forkOrigin()
  node = await startLyingNode(fork.ready.rpcUrl)
  bot = await openOpaqueBot(fork, { rpcUrl: node.url })
})
afterEach(async () => {
  await bot.close()
  await node.close()
  await fork.close()
})

/** The nonce of a swap goes to a transaction that is not ours. */
const foreign: Drivetrain['broadcast'] = async (bytes) => {
  if (bytes.kind !== 'SWAP') return bot.train.broadcast(bytes)
  const { address = '0x', privateKey = '0x' } = fork.ready.wallets.treasury ?? {}
  const raw = await privateKeyToAccount(privateKey).signTransaction({
    type: 'eip1559',
    chainId: 31_337,
    nonce: bytes.transaction.nonce,
    to: address,
    value: 1n,
    gas: 21_000n,
    maxFeePerGas: 100_000_000_000n,
    maxPriorityFeePerGas: 2_000_000_000n,
  })
  await fork.rpc.request(sendRawTransaction(raw))
  return { verdict: 'ambiguous', words: 'lost' }
}

const forEth = { sell: '3000 USDC', buy: 'ETH', floor: '0.97 ETH' }

describe('a swap by a foreign router', () => {
  test('displaced: a taken nonce ends it once the deadline is deep, after a second look', async () => {
    const looks: string[] = []
    const observe: Observe = async (watched) => {
      const seen = await bot.train.observe(watched)
      looks.push(`${seen.deepNonce}`)
      return seen
    }
    const brief = { sell: '1 ETH', buy: 'USDC', floor: '2950 USDC', expirySeconds: 15 }
    const { record, failure } = await bot.swap(brief, { broadcast: foreign, observe })
    expect(failure).toMatchObject({ code: 'NONCE_TAKEN', remedy: 'halt' })
    expect(record).toMatchObject({ state: 'DISPLACED' })
    expect(looks.slice(-2)).toEqual(['1', '1'])
  })

  test('displaced: not where the second look finds what the first did not', async () => {
    let lied = 0
    const observe: Observe = async (watched) => {
      const seen = await bot.train.observe(watched)
      if (seen.receipts.length === 0 || lied > 0) return seen
      lied += 1
      const { deep, deepNonce = 0 } = seen
      const late = deep && { ...deep, timestamp: deep.timestamp + 3_600 }
      return { ...seen, deep: late, deepNonce: deepNonce + 2, receipts: [] }
    }
    const sellEth = { sell: '1 ETH', buy: 'USDC', floor: '2950 USDC' }
    const { record, failure } = await bot.swap(sellEth, { observe })
    expect(failure).toBeUndefined()
    expect(lied).toBe(1)
    expect(bot.troubles).toMatchObject([{ code: 'DEATH_UNCONFIRMED' }])
    expect(record).toMatchObject({ state: 'SETTLED' })
  })

  test('for ETH on a node that pruned it: nothing is invented, the wallet locks once, and history settles it', async () => {
    node.lie(pruned)
    const { record, failure } = await bot.swap(forEth)
    expect(failure).toMatchObject({ code: 'SETTLEMENT_UNMEASURED', remedy: 'halt' })
    expect(record).toMatchObject({ state: 'INCLUDED', received: null })
    const locks = await bot.journal.locks.live()
    expect(locks).toMatchObject([{ kind: 'halt', code: 'SETTLEMENT_UNMEASURED' }])

    // A start says that it is locked, and by what, as often as it is tried; it opens no second lock.
    await bot.close()
    for (const _ of ['once', 'twice'])
      await expect(openBot(bot.where)).rejects.toMatchObject({
        code: 'LOCKED',
        facts: { code: 'SETTLEMENT_UNMEASURED' },
      })

    // With a node that has that block the same start decides the swap; the lock is a person's to release.
    node.lie({})
    await expect(openBot(bot.where)).rejects.toMatchObject({ code: 'LOCKED' })
    const journal = await bot.reopenJournal()
    expect(await journal.locks.live()).toMatchObject(locks)
    expect(await journal.swaps.record(record.id)).toMatchObject({ state: 'SETTLED', agrees: true })
    await journal.locks.release({ id: undefined, reason: 'an archive node settled it' })
    await journal.shut()
    bot = await openOpaqueBot(fork, { rpcUrl: node.url })
    expect((await bot.swap(forEth)).record.state).toBe('SETTLED')
  })

  test('for a token on such a node: the logs of the receipt say what moved', async () => {
    node.lie({
      bend: ({ method, params }, answer) =>
        method === 'eth_call' &&
        JSON.stringify(params[0]).includes(toFunctionSelector('balanceOf(address)')) &&
        /^0x/.test(String(params[1]))
          ? { ...answer, result: undefined, error: { code: -32_000, message: 'missing trie node' } }
          : answer,
    })
    const { record } = await bot.swap({ sell: '1 WETH', buy: 'USDC', floor: '2950 USDC' })
    expect(record).toMatchObject({ state: 'SETTLED', agrees: null })
  })
})
