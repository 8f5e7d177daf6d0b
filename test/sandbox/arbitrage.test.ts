import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { getBlock } from '../../src/chain/calls/node.ts'
import { createPrices } from '../../src/sandbox/createPrices.ts'
import { ask } from '../support/ask.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'

const prices = {
  seed: 3,
  model: {
    WETH: { start: '3000', volatility: 30 },
    WBTC: { start: '90000', volatility: 1 },
  },
}

let fork: Fork
beforeAll(async () => {
  fork = await forkOrigin({ world: (world) => ({ ...world, prices }) })
})
afterAll(() => fork?.close())

describe('the arbitrageur', () => {
  test('moves a v3 pool along the price by real swaps', async () => {
    const { tokens, serviceUrl, wallets } = fork.ready
    const quote = async () => {
      const { body } = await ask(serviceUrl, 'indicative-quote', {
        chain: 'local',
        token_in: tokens.WETH?.address,
        token_out: tokens.WBTC?.address,
        amount: '0.01',
        from_address: wallets.treasury?.address,
      })
      return Number(body.price)
    }
    const path = createPrices({ prices, blockTimeSeconds: 1 })
    const { deployment } = inject('origin')
    const before = await quote()
    // A block's trade is on the chain a block later: it is off by about what a second moves, half a percent.
    const follows = async () => {
      const head = await fork.rpc.request(getBlock('latest'))
      const values = path.at((head?.number ?? 0) - deployment.block)
      const fair = (values.get('WETH') ?? 0) / (values.get('WBTC') ?? 1)
      const hasMoved = Math.abs(fair / before - 1) > 0.015
      return hasMoved && Math.abs((await quote()) / fair - 1) < 0.01
    }
    await expect.poll(follows, { interval: 250 }).toBe(true)
  })
})
