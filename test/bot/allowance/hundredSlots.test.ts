import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { reconcileWallet } from '../../../src/app/reconcileWallet.ts'
import { erc20Abi } from '../../../src/chain/abi/contracts.ts'
import { readContract } from '../../../src/chain/calls/readContract.ts'
import { permit2Address } from '../../../src/chain/settlement/permit2.ts'
import type { Address } from '../../../src/core/token.ts'
import { anvilCalls } from '../../../src/sandbox/startAnvil.ts'
import { forkOrigin } from '../../support/forkOrigin.ts'
import { openBot } from '../../support/openBot.ts'
import { placeToken } from '../../support/placeToken.ts'

const permits = Number(process.env.SLOTS ?? 15)
const transfers = Number(process.env.SLOTS ?? 5)

/** A DCA of so many slots, one after the other, and what its approvals come to in each way that policy can state. */
const ways = [
  { way: 'exact approvals', policy: '', slots: 5, approvals: 5, left: 0n, transferred: 0n },
  {
    way: 'a standing allowance',
    policy: '  allowances: [3200 USDC]\n',
    slots: 100,
    approvals: 1,
    left: 200_000_000n,
    transferred: 0n,
  },
  // None of them differs from the one before, so fewer show it; SLOTS=100 drives them all.
  {
    way: 'permits',
    policy: '  permits: [USDC]\n',
    slots: permits,
    approvals: 0,
    left: 0n,
    transferred: 0n,
  },
  {
    way: 'a standing allowance of Permit2',
    policy: '  permits: [USDC]\n  allowances: [3200 USDC]\n',
    // As most tokens are: without permits of their own.
    token: 'plain',
    slots: transfers,
    approvals: 1,
    left: 0n,
    transferred: 3_200_000_000n - BigInt(transfers) * 30_000_000n,
  },
]

const wish = { sell: '30 USDC', buy: 'WETH', floor: '0.009 WETH' }

describe.each(ways)('$way', ({ policy, slots, approvals, left, transferred, token }) => {
  test(`${slots} slots need ${approvals} approvals`, async () => {
    await using opened = new AsyncDisposableStack()
    const fork = opened.adopt(await forkOrigin({ mining: 'auto' }), (one) => one.close())
    const { config, tokens, router } = fork.ready
    writeFileSync(config, readFileSync(config, 'utf8').replace('policy:\n', `policy:\n${policy}`))
    if (token !== 'plain') await placeToken(fork, 'USDC', 'MoodyPermitToken')
    const bot = opened.adopt(await openBot(fork), (one) => one.close())
    /** The depth at which an end counts is two blocks, and none comes by itself. */
    const observe: typeof bot.train.observe = async (watched) => {
      await fork.rpc.request(anvilCalls.mine)
      return bot.train.observe(watched)
    }

    const kinds: string[] = []
    for (let slot = 0; slot < slots; slot++) {
      const { record, failure, swapId } = await bot.swap(wish, { pollMs: 1, observe })
      expect({ slot, failure, state: record.state }).toMatchObject({ slot, state: 'SETTLED' })
      const { attempts } = await bot.journal.swaps.load(swapId)
      kinds.push(...attempts.map(({ bytes }) => bytes.kind))
    }
    expect(kinds.filter((kind) => kind === 'APPROVE')).toHaveLength(approvals)
    expect(kinds).toHaveLength(slots + approvals)
    const { address: wallet } = bot.config.wallet
    const allowedTo = (spender: Address) =>
      readContract({
        ...{ address: tokens.USDC?.address as Address, abi: erc20Abi, functionName: 'allowance' },
        args: [wallet, spender],
      })
    expect(await fork.rpc.request(allowedTo(router))).toBe(left)
    expect(await fork.rpc.request(allowedTo(permit2Address))).toBe(transferred)

    const at = { config: bot.config, rpc: fork.rpc, journal: bot.journal, clock: bot.train.clock }
    const extent = { since: 0, logDefects: bot.journal.books.logDefects }
    const { checks } = await reconcileWallet(at, extent)
    expect(checks.filter(({ verdict }) => verdict !== 'holds')).toEqual([])
  })
})
