import { keccak256, toHex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getCode, getTransactionCount } from '../../src/chain/calls/account.ts'
import type { Hex } from '../../src/chain/calls/fields.ts'
import type { Refused } from '../../src/core/check.ts'
import { anvilCalls } from '../../src/sandbox/startAnvil.ts'
import { balances } from '../support/balances.ts'
import { codeThatCalls, takes } from '../support/codeThatCalls.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { openOpaqueBot } from '../support/openOpaqueBot.ts'

let fork: Fork
beforeAll(async () => {
  fork = await forkOrigin()
})
afterAll(() => fork.close())

async function withOpaque<result>(
  options: Parameters<typeof openOpaqueBot>[1],
  use: (bot: Awaited<ReturnType<typeof openOpaqueBot>>) => Promise<result>,
): Promise<result> {
  const bot = await openOpaqueBot(fork, options)
  try {
    return await use(bot)
  } finally {
    await bot.close()
  }
}

describe('a foreign service', () => {
  test.for([
    ['1 WETH', 'USDC', '2950 USDC'],
    ['3000 USDC', 'ETH', '0.97 ETH'],
    ['1 ETH', 'USDC', '2950 USDC'],
  ] as const)('sells %s for %s, and reports what moved', async ([sell, buy, floor]) => {
    await withOpaque({}, async (bot) => {
      const before = await balances(fork.rpc, fork.ready)
      const { record, failure } = await bot.swap({ sell, buy, floor })
      expect(failure).toBeUndefined()
      expect(record).toMatchObject({ state: 'SETTLED', agrees: true })
      const after = await balances(fork.rpc, fork.ready)
      if (buy === 'USDC')
        expect(BigInt(record.received?.wei ?? 0)).toBe((after.USDC ?? 0n) - (before.USDC ?? 0n))
    })
  })

  test('pays a collector and a maker that its calldata does not name: others’ balances are not the wallet’s', async () => {
    const { ready, rpc } = fork
    const [WETH, USDC] = [ready.tokens.WETH, ready.tokens.USDC].map((one) => one?.address ?? '0x')
    const wallet = ready.wallets.treasury?.address ?? '0x'
    const maker = Object.values(ready.makers)[0]?.address ?? '0x'
    const collector = `0x${'c0'.repeat(20)}` as const
    const own = await rpc.request(getCode(ready.router))
    const code = codeThatCalls(
      [
        takes(WETH as Hex, wallet, { to: collector, wei: 10n ** 16n }),
        takes(WETH as Hex, wallet, { to: maker, wei: 99n * 10n ** 16n }),
        takes(USDC as Hex, maker, { to: wallet, wei: 2_995_000_000n }),
      ],
      { untilWord: true },
    )
    await rpc.request(anvilCalls.setCode(ready.router, code))
    const bend = ({ txRequest, ...body }: Record<string, unknown>) => {
      const { calldata } = txRequest as { readonly calldata: string }
      const [{ deadlineTimestamp }] = body.orders as [{ readonly deadlineTimestamp: number }]
      const until = toHex(deadlineTimestamp, { size: 32 }).slice(2)
      return {
        ...body,
        amountOut: '2995000000',
        txRequest: { ...(txRequest as object), calldata: `${calldata.slice(0, 10)}${until}` },
      }
    }
    try {
      await withOpaque({ bend, codeHash: keccak256(code) }, async (bot) => {
        const { record, failure } = await bot.swap({
          sell: '1 WETH',
          buy: 'USDC',
          floor: '2950 USDC',
        })
        expect(failure).toBeUndefined()
        expect(record).toMatchObject({ state: 'SETTLED', received: { text: '2995' } })
      })
    } finally {
      await rpc.request(anvilCalls.setCode(ready.router, own))
    }
  })

  test('signs nothing for a function that is not listed, or a stake above the limit', async () => {
    const nonce = () =>
      fork.rpc.request(getTransactionCount(fork.ready.wallets.treasury?.address ?? '0x'))
    const before = await nonce()
    await withOpaque({ selectors: ['0x12345678'] }, async (bot) => {
      const { failure } = await bot.swap({ sell: '1 ETH', buy: 'USDC', floor: '2950 USDC' })
      expect(failure).toMatchObject({ code: 'VERIFY_SELECTOR' })
    })
    await withOpaque({}, async (bot) => {
      const { failure } = await bot.swap({ sell: '2 ETH', buy: 'USDC', floor: '5900 USDC' })
      expect(failure).toMatchObject({ code: 'VERIFY_OPAQUE_NOTIONAL' })
    })
    expect(await nonce()).toBe(before)
  })

  test('believes the simulation and not the words: a promise above what arrives is refused', async () => {
    const bend = (body: Record<string, unknown>) => ({
      ...body,
      amountOut: ((BigInt(String(body.amountOut)) * 10_050n) / 10_000n).toString(),
    })
    await withOpaque({ bend }, async (bot) => {
      const { failure } = await bot.swap({ sell: '1 ETH', buy: 'USDC', floor: '2950 USDC' })
      const failed = (failure as Refused).checks.filter(({ ok }) => !ok).map(({ name }) => name)
      expect(failed).toEqual(['simulate.swap-at-deadline', 'simulate.received'])
    })
  })

  test('believes the chain and not the words: a deadline that the router does not keep is refused', async () => {
    const bend = (body: Record<string, unknown>) => ({
      ...body,
      orders: [{ quoteId: 'soon', deadlineTimestamp: Math.floor(Date.now() / 1_000) + 12 }],
    })
    await withOpaque({ bend }, async (bot) => {
      const { failure } = await bot.swap({ sell: '1 ETH', buy: 'USDC', floor: '2950 USDC' })
      expect(failure).toMatchObject({ code: 'SIMULATE_SWAP_AFTER_DEADLINE' })
    })
  })
})
