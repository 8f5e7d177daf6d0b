import { expect, test } from 'vitest'
import { listAllowances, takeBackAllowances } from '../../src/app/takeBackAllowances.ts'
import { erc20Abi } from '../../src/chain/abi/contracts.ts'
import { readContract } from '../../src/chain/calls/readContract.ts'
import { systemClock } from '../../src/core/clock.ts'
import type { Address } from '../../src/core/token.ts'
import { callCli } from '../cli/callCli.ts'
import { forkOrigin } from '../support/forkOrigin.ts'
import { openBot } from '../support/openBot.ts'

test('[TOKEN-07] revoke: an allowance that a swap left behind is named, taken back and owed no more', async () => {
  const fork = await forkOrigin()
  const bot = await openBot(fork)
  const ballast = (...args: string[]) =>
    callCli([...args, '--config', fork.ready.config], { cwd: fork.dataDir })
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
    let during = ''
    const sign: typeof bot.train.signer.sign = async (what) => {
      if (what.kind === 'SWAP') {
        during = (await ballast('revoke')).stdout
        stop.abort()
      }
      return bot.train.signer.sign(what)
    }
    const wish = { sell: '1 WETH', buy: 'USDC', floor: '2990 USDC' }
    await bot.swap(wish, { signer: { ...bot.train.signer, sign } }, stop.signal)
    expect(await allowed()).toBe(10n ** 18n)
    // It stands, and is not left behind: who looks for what keeps a swap from its end must see it.
    expect(during).toMatch(
      /^1 WETH to 0x\w+, .*: stands; swap [\w-]+, which is under way, may use it\.$/m,
    )

    const status = await ballast('status', '--json')
    expect(JSON.parse(status.stdout)).toMatchObject({
      allowances: [
        { amount: { token: 'WETH', text: '1' }, spender: fork.ready.router.toLowerCase() },
      ],
    })

    const listed = await ballast('revoke')
    expect(listed.stdout).toMatch(/^1 WETH to 0x\w+, left by swap [\w-]+: stands\.$/m)
    expect(await allowed()).toBe(10n ** 18n)

    // A halt forbids it as well; what a drift locks with does not: an allowance may be what took the money.
    const lock = { scope: 'all', reason: 'less is there', expiresAt: undefined }
    await bot.journal.locks.open({ ...lock, kind: 'breaker', code: 'LEDGER_DRIFT' })
    const halt = await bot.journal.locks.open({ ...lock, kind: 'halt', code: 'BY_OPERATOR' })
    await bot.close()
    const live = () => ballast('revoke', '--live')
    expect(await live()).toMatchObject({ code: 5, stderr: expect.stringContaining('LOCKED') })
    expect(await allowed()).toBe(10n ** 18n)
    const resume = ['resume', '--reason', 'stopped', String(halt.lock.id)]
    expect(await ballast(...resume)).toMatchObject({ code: 0 })
    const taken = await live()
    expect(taken.stdout).toMatch(/^1 WETH to 0x\w+, left by swap [\w-]+: taken back\.$/m)
    expect(taken.code).toBe(0)
    expect(await allowed()).toBe(0n)

    const { stdout, code } = await live()
    expect({ stdout: stdout.trim(), code }).toEqual({
      stdout: 'No allowance stands.',
      code: 0,
    })
    const after = await ballast('status', '--json')
    expect(JSON.parse(after.stdout)).toMatchObject({
      allowances: [],
      locks: [{ code: 'LEDGER_DRIFT' }],
    })
  } finally {
    await bot.close()
    await fork.close()
  }
})

test('revoke: what a swap left is taken back also where its token has left the configuration', async () => {
  const fork = await forkOrigin()
  const bot = await openBot(fork)
  try {
    const stop = new AbortController()
    const sign: typeof bot.train.signer.sign = async (what) => {
      if (what.kind === 'SWAP') stop.abort()
      return bot.train.signer.sign(what)
    }
    const wish = { sell: '1 WETH', buy: 'USDC', floor: '2990 USDC' }
    await bot.swap(wish, { signer: { ...bot.train.signer, sign } }, stop.signal)
    await bot.close()
    const { tokens } = bot.config
    const bySymbol = new Map([...tokens.bySymbol].filter(([symbol]) => symbol !== 'WETH'))
    const without = { ...bot.config, tokens: { ...tokens, bySymbol } }
    const around = {
      from: 0,
      clock: systemClock,
      note: () => {},
      signal: new AbortController().signal,
    }
    expect((await listAllowances(without, around)).allowances).toMatchObject([{ known: true }])
    expect(await takeBackAllowances(without, around)).toMatchObject({
      ...{ refused: 0, allowances: [{ known: true, revoked: true }] },
    })
  } finally {
    await bot.close()
    await fork.close()
  }
})
