import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { orderbook } from '../../src/api/orderbook.ts'
import { ask } from '../support/ask.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'

let fork: Fork
beforeAll(async () => {
  fork = await forkOrigin({
    world: (world) => ({
      ...world,
      prices: { seed: 3, model: { WETH: { start: '3000', volatility: 30 } } },
      makers: world.makers.map((maker) => ({
        ...maker,
        books: [
          {
            pair: ['WETH', 'USDC'],
            follow: { halfSpreadBps: 4, sizes: ['1', '4'], stepBps: 2, volatility: 0.7 },
            minimumInBase: '0.01',
          },
        ],
      })),
    }),
  })
})
afterAll(() => fork?.close())

const quote = (rest: Record<string, string>) =>
  ask(fork.ready.serviceUrl, 'indicative-quote', {
    chain: 'local',
    token_in: fork.ready.tokens.WETH?.address,
    token_out: fork.ready.tokens.USDC?.address,
    from_address: fork.ready.wallets.treasury?.address,
    ...rest,
  })
const poolPrice = async () => Number((await quote({ amount: '0.001' })).body.price)
const midPrice = async () => {
  const { body } = await ask(fork.ready.serviceUrl, 'orderbook', { chain: 'local' })
  const [bid, ask_] = orderbook.response.parse(body).map(({ levels }) => levels[0]?.[1] ?? 0)
  return ((bid ?? 0) + (ask_ ?? 0)) / 2
}

describe('prices that move', () => {
  test('a shorter expiry yields a better quote', async () => {
    // All within one block, or once more.
    for (;;) {
      const before = await quote({ amount: '1', expiry_time: '60' })
      const paid = await Promise.all(
        ['10', '60', '120'].map(async (expiry_time) => {
          const { body } = await quote({ amount: '1', expiry_time })
          return BigInt(body.buyerTokenAmountWei)
        }),
      )
      if (paid[1] !== BigInt(before.body.buyerTokenAmountWei)) continue
      const [short = 0n, middle = 0n, long = 0n] = paid
      expect(short).toBeGreaterThan(middle)
      expect(middle).toBeGreaterThan(long)
      return
    }
  })

  test('the makers follow the price, and real swaps move the pool along', async () => {
    const first = await midPrice()
    // 3000 % a year is half a percent a second: without the arbitrageur the pool would still be at 3000.
    const follow = async () => {
      const [mid, pool] = [await midPrice(), await poolPrice()]
      const haveMoved = mid !== first && Math.abs(pool / 2_991 - 1) > 0.01
      return haveMoved && Math.abs(pool / mid - 1) < 0.03
    }
    await expect.poll(follow, { interval: 250 }).toBe(true)
  })
})
