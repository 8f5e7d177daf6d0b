import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { getTransactionCount } from '../../../src/chain/calls/getTransactionCount.ts'
import { sendRawTransaction } from '../../../src/chain/calls/sendRawTransaction.ts'
import { createBreakers } from '../../../src/cli/compose/createBreakers.ts'
import { systemClock } from '../../../src/core/clock.ts'
import type { Address } from '../../../src/core/token.ts'
import { anvilCalls } from '../../../src/sandbox/anvilCalls.ts'
import { type Fork, forkOrigin } from '../../support/forkOrigin.ts'
import { openBot } from '../../support/openBot.ts'
import { silent } from '../../support/silent.ts'

let fork: Fork
let bot: Awaited<ReturnType<typeof openBot>>

beforeEach(async () => {
  fork = await forkOrigin()
  bot = await openBot(fork)
})
afterEach(async () => {
  await bot.close()
  await fork.close()
})

type Key = Fork['ready']['feeSigner']

/** Sells one ETH with a transfer of one wei in the same block; returns its record and the locks that follow. */
async function swapBeside({ from, to }: { from: Key; to: Address }) {
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
  const { record, swapId } = await bot.swap(
    { sell: '1 ETH', buy: 'USDC', floor: '2990 USDC' },
    { broadcast },
  )
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
