import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { getTransactionCount } from '../../../src/chain/calls/account.ts'
import { sendRawTransaction } from '../../../src/chain/calls/sendRawTransaction.ts'
import { systemClock } from '../../../src/core/clock.ts'
import type { Address } from '../../../src/core/token.ts'
import { createBreakers } from '../../../src/engine/createBreakers.ts'
import { anvilCalls } from '../../../src/sandbox/startAnvil.ts'
import { type Fork, forkOrigin } from '../../support/forkOrigin.ts'
import { openBot } from '../../support/openBot.ts'
import { silent } from '../../support/silent.ts'

let fork: Fork
let bot: Awaited<ReturnType<typeof openBot>>

beforeEach(async () => {
  fork = await forkOrigin()
  const config = join(fork.dataDir, 'with-a-friend.yaml')
  const yaml = readFileSync(fork.ready.config, 'utf8')
  const { address } = fork.ready.feeSigner
  writeFileSync(config, yaml.replace('recipients: []', `recipients: ["${address}"]`))
  bot = await openBot({ ...fork, ready: { ...fork.ready, config } })
})
afterEach(async () => {
  await bot.close()
  await fork.close()
})

type Key = Fork['ready']['feeSigner']

const ofWallet = { sell: '1 ETH', buy: 'USDC', floor: '2990 USDC' }

/** Swaps with a transfer of one wei in the same block; returns its record and the locks that follow. */
async function swapBeside(
  { from, to }: { from: Key; to: Address },
  wish: Parameters<typeof bot.swap>[0] = ofWallet,
) {
  const { rpc } = fork
  const broadcast: typeof bot.train.broadcast = async (bytes) => {
    await rpc.request(anvilCalls.mineEvery(0))
    const answer = await bot.train.broadcast(bytes)
    const raw = await privateKeyToAccount(from.privateKey).signTransaction({
      type: 'eip1559',
      chainId: 31_337,
      nonce: await rpc.request(getTransactionCount(from.address, 'pending')),
      to,
      value: 1n,
      gas: 21_000n,
      maxFeePerGas: 100_000_000_000n,
      maxPriorityFeePerGas: 1n,
    })
    await rpc.request(sendRawTransaction(raw))
    await rpc.request(anvilCalls.mineEvery(1))
    return answer
  }
  const { record, swapId } = await bot.swap(wish, { broadcast })
  const { config, journal, market } = bot
  const log = silent
  await createBreakers({ config, journal, market, clock: systemClock, log }).atEnd(swapId)
  return { record, codes: (await journal.locks.live()).map(({ code }) => code) }
}

test('a stranger’s dust in the swap’s block is reported, and locks nothing', async () => {
  const stranger = fork.ready.feeSigner
  await fork.rpc.request(anvilCalls.setBalance(stranger.address, 10n ** 18n))
  const { record, codes } = await swapBeside({ from: stranger, to: bot.config.wallet.address })
  expect(record).toMatchObject({ state: 'SETTLED', agrees: false })
  expect(codes).toEqual([])
})

test('a wei that left beside the swap locks everything', async () => {
  const treasury = fork.ready.wallets.treasury as Key
  const { record, codes } = await swapBeside({ from: treasury, to: fork.ready.feeSigner.address })
  expect(record).toMatchObject({ state: 'SETTLED', agrees: false })
  expect(codes).toEqual(['SHORTFALL'])
})

test('another recipient that spends in the swap’s block is reported, and locks nothing', async () => {
  const friend = fork.ready.feeSigner
  await fork.rpc.request(anvilCalls.setBalance(friend.address, 10n ** 18n))
  const { record, codes } = await swapBeside(
    { from: friend, to: bot.config.wallet.address },
    { sell: '3000 USDC', buy: 'ETH', floor: '0.99 ETH', recipient: friend.address },
  )
  expect(record).toMatchObject({ state: 'SETTLED', agrees: false })
  expect(codes).toEqual([])
  expect(await bot.verdicts()).toEqual([])
})
