import { expect, test } from 'vitest'
import { revoke } from '../../src/bot/life/approvals.ts'
import { erc20Abi } from '../../src/chain/abi/contracts.ts'
import { readContract } from '../../src/chain/calls/readContract.ts'
import type { Address } from '../../src/core/token.ts'
import { forkOrigin } from '../support/forkOrigin.ts'
import { openBot } from '../support/openBot.ts'
import { runBallast } from '../support/runBallast.ts'

test('[TOKEN-07] revoke: an allowance that a swap left behind is named, taken back and owed no more', async () => {
  const fork = await forkOrigin()
  const bot = await openBot(fork)
  try {
    const { address: wallet } = bot.config.wallet
    const allowed = () =>
      fork.rpc.request(
        readContract({
          address: fork.ready.tokens.WETH?.address as Address,
          abi: erc20Abi,
          functionName: 'allowance',
          args: [wallet, fork.ready.router],
        }),
      )
    const stop = new AbortController()
    const sign: typeof bot.train.signer.sign = async (what) => {
      if (what.kind === 'SWAP') stop.abort()
      return bot.train.signer.sign(what)
    }
    const wish = { sell: '1 WETH', buy: 'USDC', floor: '2990 USDC' }
    await bot.swap(wish, { signer: { ...bot.train.signer, sign } }, stop.signal)
    expect(await allowed()).toBe(10n ** 18n)

    const status = await runBallast(['status', '--json', '--config', fork.ready.config])
    expect(JSON.parse(status.stdout)).toMatchObject({
      allowances: [
        { amount: { token: 'WETH', text: '1' }, spender: fork.ready.router.toLowerCase() },
      ],
    })

    const listed = await runBallast(['revoke', '--config', fork.ready.config])
    expect(listed.stdout).toMatch(/^1 WETH to 0x\w+, left by swap [\w-]+: stands\.$/m)
    expect(await allowed()).toBe(10n ** 18n)

    const [left] = await bot.journal.allowances.liabilities(wallet)
    if (left === undefined) throw new Error('it is owed')
    await revoke(left, bot.train)
    expect(await allowed()).toBe(0n)
    expect(await bot.journal.allowances.liabilities(wallet)).toEqual([])

    await bot.close()
    const { stdout, code } = await runBallast(['revoke', '--live', '--config', fork.ready.config])
    expect({ stdout: stdout.trim(), code }).toEqual({
      stdout: 'No allowance stands.',
      code: 0,
    })
  } finally {
    await bot.close()
    await fork.close()
  }
})
