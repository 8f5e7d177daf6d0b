import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { encodeFunctionData } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { expect, test } from 'vitest'
import { recoverBooks } from '../../src/app/recoverBooks.ts'
import { unpacked } from '../../src/bot/journal/store/packed.ts'
import { erc20Abi } from '../../src/chain/abi/contracts.ts'
import { systemClock } from '../../src/core/clock.ts'
import type { Address } from '../../src/core/token.ts'
import { forkOrigin } from '../support/forkOrigin.ts'
import { openBot } from '../support/openBot.ts'
import { transact } from '../support/transact.ts'

const other = '0x00000000000000000000000000000000000000aa'

/** As if another one had signed: the column in both tables, and the plan's own words. */
function changeJournal(
  dataDir: string,
  { of, to, column }: { of: string; to: string; column: 'wallet' | 'chain_id' },
): void {
  const db = new DatabaseSync(join(dataDir, 'ballast.db'))
  const plan = unpacked(db.prepare('SELECT plan FROM swap').get()?.plan as Uint8Array)
  expect(plan).toContain(of)
  const value = column === 'wallet' ? to : Number(to.split(':')[1])
  db.prepare(`UPDATE swap SET ${column} = ?, plan = ?`).run(value, plan.replaceAll(of, to))
  db.prepare(`UPDATE attempt SET ${column} = ?`).run(value)
  db.close()
}

test('a start with another wallet or chain leaves alone what the first one signed, and says whose it is', async () => {
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
    const { address } = bot.config.wallet
    changeJournal(fork.dataDir, { of: address, to: other, column: 'wallet' })
    await expect(openBot(fork)).rejects.toMatchObject({
      code: 'OTHER_WALLET',
      facts: { swapId, walletOfSwap: other, wallet: address },
    })
    changeJournal(fork.dataDir, { of: other, to: address, column: 'wallet' })
    // The nodes of this chain would show it as dead.
    changeJournal(fork.dataDir, { of: '"chainId":31337', to: '"chainId":10', column: 'chain_id' })
    const ofAnother = {
      code: 'OTHER_CHAIN',
      facts: { swapId, chainOfSwap: 10, chainId: 31_337 },
    }
    await expect(openBot(fork)).rejects.toMatchObject(ofAnother)
    await expect(
      recoverBooks({
        ...{ config: bot.config, strategies: [], reason: 'a test', clock: systemClock },
        ...{ signal: new AbortController().signal, note: () => {} },
      }),
    ).rejects.toMatchObject(ofAnother)
  } finally {
    await bot.close()
    await fork.close()
  }
})

test('a start names what another wallet of the journal left within reach', async () => {
  const fork = await forkOrigin()
  try {
    const bot = await openBot(fork)
    const { swapId } = await bot.swap({ sell: '1 ETH', buy: 'USDC', floor: '2900 USDC' })
    await bot.close()
    const { router, tokens, makers } = fork.ready
    const token = String(tokens.WETH?.address).toLowerCase() as Address
    const { privateKey = '0x' } = Object.values(makers)[0] ?? {}
    const former = privateKeyToAddress(privateKey).toLowerCase()
    await transact(fork.rpc, {
      ...{ privateKey, to: token },
      data: encodeFunctionData({
        abi: erc20Abi,
        functionName: 'approve',
        args: [router as Address, 7n],
      }),
    })
    const db = new DatabaseSync(join(fork.dataDir, 'ballast.db'))
    // That of the other was taken back by hand.
    const rows = [
      [former, token],
      [other, token],
    ] as const
    for (const [wallet, of] of rows)
      db.prepare(
        'INSERT INTO allowance (chain_id, wallet, token, spender, wei, swap_id, at) VALUES (31337, ?, ?, ?, ?, ?, 1)',
      ).run(wallet, of, router.toLowerCase(), '5', swapId)
    db.close()
    const again = await openBot(fork)
    await again.close()
    expect(again.warnings.filter((line) => line.includes('another wallet'))).toEqual([
      `${router.toLowerCase()} may still take the token ${token} from ${former}, another wallet of this journal: configure it with its key, then: ballast revoke --live`,
    ])
  } finally {
    await fork.close()
  }
})
