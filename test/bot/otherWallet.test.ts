import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { unpacked } from '../../src/bot/journal/store/packed.ts'
import { forkOrigin } from '../support/forkOrigin.ts'
import { openBot } from '../support/openBot.ts'

test('a start with another wallet leaves alone what the first one signed, and says whose it is', async () => {
  const fork = await forkOrigin()
  const bot = await openBot(fork)
  try {
    const stop = new AbortController()
    const wish = { sell: '1 ETH', buy: 'USDC', floor: '2990 USDC' }
    const { record, swapId } = await bot.swap(
      wish,
      {
        async broadcast() {
          stop.abort()
          return { verdict: 'ambiguous', words: 'lost' }
        },
      },
      stop.signal,
    )
    expect(record.state).toBe('SIGNED')
    await bot.close()
    const other = '0x00000000000000000000000000000000000000aa'
    const db = new DatabaseSync(join(fork.dataDir, 'ballast.db'))
    const { address } = bot.config.wallet
    const plan = unpacked(db.prepare('SELECT plan FROM swap').get()?.plan as Uint8Array)
    db.prepare('UPDATE swap SET wallet = ?, plan = ?').run(other, plan.replaceAll(address, other))
    db.prepare('UPDATE attempt SET wallet = ?').run(other)
    db.close()
    await expect(openBot(fork)).rejects.toMatchObject({
      code: 'OTHER_WALLET',
      facts: { swapId, walletOfSwap: other, wallet: address },
    })
  } finally {
    await bot.close()
    await fork.close()
  }
})
