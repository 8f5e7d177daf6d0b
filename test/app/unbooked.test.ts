import { afterAll, beforeAll, expect, test } from 'vitest'
import { findUnbooked } from '../../src/app/unbooked.ts'
import { getBlock } from '../../src/chain/calls/node.ts'
import type { Config } from '../../src/config/config.ts'
import type { Address } from '../../src/core/token.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { openBot } from '../support/openBot.ts'

let fork: Fork
let bot: Awaited<ReturnType<typeof openBot>>
beforeAll(async () => {
  fork = await forkOrigin()
  bot = await openBot(fork)
})
afterAll(async () => {
  await bot.close()
  await fork.close()
})

test('a swap of a router of before is read where the router of now is opaque, and none of its own', async () => {
  const { record } = await bot.swap({ sell: '1 WETH', buy: 'USDC', floor: '2900 USDC' })
  expect(record?.state).toBe('SETTLED')
  const { rpc } = bot.market
  const head = await rpc.request(getBlock('latest'))
  const empty = {
    adoption: async () => ({ nonce: 0, nextNonce: 0, releases: [] }),
    newestBlock: async () => 0,
    openNonces: async () => [],
    routers: async () => [],
  }
  const kindsWith = async (router: Address) => {
    const service = { ...bot.config.service, router, profile: { kind: 'opaque' } }
    const found = await findUnbooked({
      config: { ...bot.config, service } as unknown as Config,
      rpc,
      journal: { books: { ...bot.journal.books, ...empty } },
      depth: head?.number ?? 0,
    })
    return found.map(({ is }) => is)
  }
  const another = `0x${'12'.repeat(20)}` as const
  expect(await kindsWith(another)).toEqual(['approval', 'swap'])
  // Nobody here can read the calls of an opaque router, whatever they begin with.
  expect(await kindsWith(bot.config.service.router)).toEqual(['approval', 'foreign'])
})
