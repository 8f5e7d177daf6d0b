import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createMarket } from '../../../src/bot/market/createMarket.ts'
import { createRpc } from '../../../src/chain/rpc/createRpc.ts'
import type { Rpc } from '../../../src/chain/rpc/rpc.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { nativeAddress } from '../../../src/core/token.ts'
import { type Anvil, startAnvil } from '../../../src/sandbox/startAnvil.ts'
import { newcomer, quietSources } from '../../support/quietSources.ts'

const wallet = '0x00000000000000000000000000000000000000aa'
const eth = { chainId: 31337, address: nativeAddress, symbol: 'ETH', decimals: 18 } as const
const seven = {
  chainId: 31337,
  address: '0x0000000000000000000000000000000000000777',
  symbol: 'SEVEN',
  decimals: 0,
} as const

/** Answers 7 to whatever it is asked. */
const sevenCode = '0x600760005260206000f3'

describe('observe, on a real chain', () => {
  let anvil: Anvil
  let rpc: Rpc
  beforeAll(async () => {
    anvil = await startAnvil()
    rpc = createRpc({ url: anvil.rpcUrl })
    const set = (method: string, params: readonly unknown[]) =>
      rpc.request({ method, params, parse: (answer) => answer })
    await set('anvil_setBalance', [wallet, '0x5'])
    await set('anvil_setCode', [seven.address, sevenCode])
    await set('evm_mine', [])
  })
  afterAll(async () => {
    await rpc?.close()
    await anvil?.close()
  })

  const marketAt = (aheadMs: number) =>
    createMarket({
      rpc,
      ...quietSources,
      quotes: { indicate: async () => undefined, levels: async () => [] },
      journal: { standingOf: async () => newcomer },
      wallet,
      tokens: [eth, seven],
      blockTimeSeconds: 1,
      clock: { ...systemClock, now: () => systemClock.now() + aheadMs },
    })
  const strategy = { name: 'any', params: {}, watches: [] }

  test('balances are those of the judged block', async () => {
    const { balances } = await marketAt(0).observe(strategy, 0)
    expect(balances).toEqual([
      { token: eth, wei: 5n },
      { token: seven, wei: 7n },
    ])
  })

  test('a chain that stands still is refused', async () => {
    await expect(marketAt(60_000).observe(strategy, 0)).rejects.toMatchObject({
      code: 'STALE_MARKET',
      facts: { block: 1 },
    })
  })
})
