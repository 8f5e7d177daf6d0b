import { expect, test } from 'vitest'
import type { Drivetrain } from '../../src/bot/life/train.ts'
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
