import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { placeMoodyToken } from '../support/moodyToken.ts'
import { openBotAt } from '../support/openBotAt.ts'

let fork: Fork
let bot: Awaited<ReturnType<typeof openBotAt>>

beforeAll(async () => {
  fork = await forkOrigin()
  const token = await placeMoodyToken(fork, 'USDC')
  await token.feel('heavy')
  bot = await openBotAt(fork, fork.ready.rpcUrl)
})
afterAll(async () => {
  await bot.close()
  await fork.close()
})

test('a token that uses more gas than plain ones: the limits of its approval and its swap are enough', async () => {
  const limits: bigint[] = []
  const sign: typeof bot.signer.sign = async (what) => {
    limits.push(what.transaction.gas)
    return bot.signer.sign(what)
  }
  const wish = { sell: '1000 USDC', buy: 'WETH', floor: '0.3 WETH' }
  const { record, failure } = await bot.swap(wish, { signer: { ...bot.signer, sign } })
  expect(failure).toBeUndefined()
  expect(record).toMatchObject({ state: 'SETTLED', agrees: true })
  const [approval = 0n, swap = 0n] = limits
  // Usual are 100,000 and 500,000; the token uses 400,000 of its own in each.
  expect(approval).toBeGreaterThan(400_000n)
  expect(swap).toBeGreaterThan(600_000n)
  expect(swap).toBeLessThanOrEqual(bot.config.policy.gasMax)
})
