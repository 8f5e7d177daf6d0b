import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import type { Drivetrain } from '../../src/bot/life/train.ts'
import { sendRawTransaction } from '../../src/chain/calls/sendRawTransaction.ts'
import { busyAtFirst } from '../support/busyAtFirst.ts'
import { forkOrigin } from '../support/forkOrigin.ts'
import { openBot } from '../support/openBot.ts'

test('an approval whose receipt comes late is no stranger’s while the witness has it', async () => {
  const fork = await forkOrigin()
  const bot = await openBot(fork)
  try {
    let looks = 0
    // More than two looks: longer than one endpoint is asked for by itself.
    const observe: Drivetrain['observe'] = async (watched) => {
      const seen = await bot.train.observe(watched)
      const late = watched.consumes === undefined && seen.receipts.length > 0 && ++looks < 30
      return late ? { ...seen, receipts: [] } : seen
    }
    const wish = { sell: '1 WETH', buy: 'USDC', floor: '2990 USDC' }
    const { record } = await bot.swap(wish, { observe, witness: bot.train.observe })
    expect(record.state).toBe('SETTLED')
    expect(await bot.journal.locks.live()).toEqual([])
  } finally {
    await bot.close()
    await fork.close()
  }
})

test('an approval that a stranger displaced halts the wallet, also where the journal is busy at first', async () => {
  const fork = await forkOrigin()
  const bot = await openBot(fork)
  try {
    const { treasury } = fork.ready.wallets
    if (treasury === undefined) throw new Error('the world has a treasury')
    const { address, privateKey } = treasury
    const broadcast: Drivetrain['broadcast'] = async ({ transaction: { nonce } }) => {
      const raw = await privateKeyToAccount(privateKey).signTransaction({
        ...{ type: 'eip1559', chainId: 31_337, nonce, to: address, value: 1n, gas: 21_000n },
        ...{ maxFeePerGas: 100_000_000_000n, maxPriorityFeePerGas: 2_000_000_000n },
      })
      await fork.rpc.request(sendRawTransaction(raw))
      return { verdict: 'ambiguous', words: 'lost' }
    }
    const { journal, wasBusy } = busyAtFirst(bot)
    const wish = { sell: '1 WETH', buy: 'USDC', floor: '2990 USDC' }
    const { failure, swapId } = await bot.swap(wish, { broadcast, journal })
    expect(wasBusy()).toBe(true)
    expect(failure).toMatchObject({ code: 'NONCE_TAKEN', remedy: 'halt' })
    expect((await bot.journal.swaps.load(swapId)).attempts.map(({ bytes }) => bytes.kind)).toEqual([
      'APPROVE',
    ])
    expect(await bot.journal.locks.live()).toMatchObject([{ kind: 'halt', code: 'NONCE_TAKEN' }])
  } finally {
    await bot.close()
    await fork.close()
  }
})
