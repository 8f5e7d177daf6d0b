import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { reconcileWallet } from '../../../src/app/reconcileWallet.ts'
import { erc20Abi } from '../../../src/chain/abi/contracts.ts'
import { readContract } from '../../../src/chain/calls/readContract.ts'
import type { Address } from '../../../src/core/token.ts'
import { anvilCalls } from '../../../src/sandbox/startAnvil.ts'
import { type Fork, forkOrigin } from '../../support/forkOrigin.ts'
import { openBot } from '../../support/openBot.ts'

/** A DCA of so many slots, one after the other: what its approvals come to. */
const slots = 100

let fork: Fork
let bot: Awaited<ReturnType<typeof openBot>>

beforeAll(async () => {
  fork = await forkOrigin({ mining: 'auto' })
  const { config } = fork.ready
  const yaml = readFileSync(config, 'utf8')
  writeFileSync(config, yaml.replace('policy:\n', 'policy:\n  allowances: [2 WETH]\n'))
  bot = await openBot(fork)
})
afterAll(async () => {
  await bot.close()
  await fork.close()
})

const allowed = () =>
  fork.rpc.request(
    readContract({
      address: fork.ready.tokens.WETH?.address as Address,
      abi: erc20Abi,
      functionName: 'allowance',
      args: [bot.config.wallet.address, fork.ready.router],
    }),
  )

/** The depth at which an end counts is two blocks, and none comes by itself. */
const observe: typeof bot.train.observe = async (watched) => {
  await fork.rpc.request(anvilCalls.mine)
  return bot.train.observe(watched)
}

test(`a standing allowance: ${slots} swaps need one approval, and leave what policy lets stand`, async () => {
  for (let slot = 0; slot < slots; slot++) {
    const { record, failure } = await bot.swap(
      { sell: '0.01 WETH', buy: 'USDC', floor: '28 USDC' },
      { pollMs: 1, observe },
    )
    expect({ slot, failure, state: record.state }).toMatchObject({ slot, state: 'SETTLED' })
  }
  const books = await bot.journal.books.nonces(
    { chainId: 31_337, wallet: bot.config.wallet.address, since: 0 },
    { from: 0, to: 1_000 },
  )
  expect(books).toHaveLength(slots + 1)
  expect(await allowed()).toBe(10n ** 18n)

  const at = { config: bot.config, rpc: fork.rpc, journal: bot.journal, clock: bot.train.clock }
  const extent = { since: 0, logDefects: bot.journal.books.logDefects }
  const { checks } = await reconcileWallet(at, extent)
  expect(checks.filter(({ verdict }) => verdict !== 'holds')).toEqual([])
})
