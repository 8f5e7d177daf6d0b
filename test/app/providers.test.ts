import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { openBotAt } from '../support/openBotAt.ts'
import { type Profile, startProvider } from '../support/startProvider.ts'

let fork: Fork

beforeAll(async () => {
  fork = await forkOrigin()
})
afterAll(async () => {
  await fork.close()
})

const oneWeth = { sell: '1 WETH', buy: 'USDC', floor: '2900 USDC' }

/** Endpoints that trade, each with what it takes under `chain:` of the configuration. */
const trading: readonly (readonly [name: string, profile: Profile, chain: string])[] = (
  [
    ['takes everything', {}],
    ['no batches: an object says so', { batch: { most: 0, refusal: 'object' } }],
    ['no batches: a status says so', { batch: { most: 0, refusal: 'status' } }],
    ['batches of 3, each item refused', { batch: { most: 3, refusal: 'items' } }],
    ['batches of 10', { batch: { most: 10, refusal: 'object' } }],
    ['traces outside of batches', { alone: ['debug_traceCall'] }],
    ['answers in any order', { backwards: true }],
    ['a 429 in an item now and then', { limit: { every: 9, by: 'item' } }],
    ['a 429 as status now and then', { limit: { every: 4, by: 'status' } }],
    ['nodes one block apart', { behind: true }],
    ['no eth_simulateV1', { lacks: ['eth_simulateV1'] }],
    ['no traces', { lacks: ['debug_traceCall'] }, 'tracing: unavailable'],
    ['no eth_maxPriorityFeePerGas', { lacks: ['eth_maxPriorityFeePerGas'] }],
    ['logs of 10 blocks', { logs: 10 }],
  ] as const
).map(([name, profile, chain = '']) => [name, profile, chain])

describe('a swap settles through an endpoint with', () => {
  test.each(trading)('%s', async (_name, profile, chain) => {
    const provider = await startProvider(fork.ready.rpcUrl, profile)
    const bot = await openBotAt(fork, provider.url, chain)
    try {
      const { record, failure } = await bot.swap(oneWeth)
      expect(failure).toBeUndefined()
      expect(record.state).toBe('SETTLED')
    } finally {
      await bot.close()
      await provider.close()
    }
  })
})
