import { createRequire } from 'node:module'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { firmQuote } from '../../src/api/firmQuote.ts'
import type { Address } from '../../src/core/token.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { settleQuote } from '../support/settleQuote.ts'

/**
 * Velora's own adapter for this family of services, unchanged, from the package registry. It reads bids alone, takes the
 * first level for the minimum, and asks for the second generation. Only what its host application gives it is ours: a
 * cache, a log, and HTTP whose origin is this service's.
 */
const require = createRequire(import.meta.url)
const { Native } = require('@paraswap/dex-lib/build/dex/native/native.js') as {
  Native: new (network: number, key: string, host: unknown) => Velora
}

type Token = { readonly address: string; readonly decimals: number }
type Priced = { readonly prices: readonly bigint[]; readonly poolIdentifiers: readonly string[] }
type Velora = {
  rateFetcher: { fetchOnce(): Promise<void> }
  getPoolIdentifiers(sell: Token, buy: Token, side: string, block: number): Promise<string[]>
  getPricesVolume(
    sell: Token,
    buy: Token,
    amounts: readonly bigint[],
    side: string,
    block: number,
  ): Promise<readonly Priced[] | null>
  preProcessTransaction(
    exchange: object,
    sell: Token,
    buy: Token,
    side: string,
    options: object,
  ): Promise<readonly [{ destAmount: string; data: { quote: unknown } }, { deadline: bigint }]>
  getDexParam(
    sell: string,
    buy: string,
    sold: string,
    bought: string,
    recipient: string,
    data: object,
    side: string,
  ): { targetExchange: Address; exchangeData: string }
}

const apiKey = 'velora-key'
let fork: Fork
let velora: Velora
let weth: Token
let usdc: Token

beforeAll(async () => {
  fork = await forkOrigin({
    mining: 'auto',
    world: (world) => ({
      ...world,
      // The adapter knows services on chains by these names.
      chain: { ...world.chain, name: 'ethereum' },
      service: { ...world.service, apiKeys: [apiKey] },
    }),
  })
  const { tokens } = fork.ready
  weth = { address: tokens.WETH?.address ?? '', decimals: 18 }
  usdc = { address: tokens.USDC?.address ?? '', decimals: 6 }
  velora = new Native(1, 'Native', hostOf(fork.ready.serviceUrl))
  await velora.rateFetcher.fetchOnce()
})
afterAll(() => fork?.close())

function hostOf(serviceUrl: string) {
  const kept = new Map<string, string>()
  const quiet = () => undefined
  return {
    config: {
      data: { network: 1, nativeApiKey: apiKey, wrappedNativeTokenAddress: weth.address },
      wrapETH: (token: unknown) => token,
      isSlave: false,
    },
    getLogger: () => ({ info: quiet, warn: quiet, error: quiet, debug: quiet, trace: quiet }),
    cache: {
      setex: async (...[, , key, , value]: readonly [string, number, string, number, string]) =>
        void kept.set(key, value),
      getAndCacheLocally: async (...[, , key]: readonly [string, number, string]) =>
        kept.get(key) ?? null,
      get: async () => null,
      rawget: async () => null,
      rawset: async () => undefined,
    },
    web3Provider: { eth: { Contract: class {} } },
    httpRequest: {
      async request({
        url,
        params,
        headers,
      }: {
        url: string
        params: Readonly<Record<string, string>>
        headers: Readonly<Record<string, string>>
      }) {
        const at = new URL(`/v1/${url.split('/v1/')[1]}`, serviceUrl)
        for (const [name, value] of Object.entries(params)) at.searchParams.set(name, value)
        const answer = await fetch(at, { headers })
        return { status: answer.status, data: await answer.json() }
      },
    },
  }
}

describe("Velora's adapter", () => {
  test('finds the pair in both directions, because asks are listed as bids as well', async () => {
    expect(await velora.getPoolIdentifiers(weth, usdc, 'SELL', 1)).toHaveLength(1)
    expect(await velora.getPoolIdentifiers(usdc, weth, 'SELL', 1)).toHaveLength(1)
  })

  test.each([
    ['WETH', 10n ** 18n],
    ['WETH', 15n * 10n ** 18n],
    ['WETH', 10n ** 16n],
    ['USDC', 3_000n * 10n ** 6n],
    ['USDC', 45n * 10n ** 6n],
  ])('prices, asks firmly, executes, and receives what was quoted: %s %s', async (symbol, sold) => {
    const { treasury } = fork.ready.wallets
    if (treasury === undefined) throw new Error('no treasury')
    const [sell, buy] = symbol === 'WETH' ? [weth, usdc] : [usdc, weth]
    const [pool] = (await velora.getPricesVolume(sell, buy, [0n, sold], 'SELL', 1)) ?? []
    const expected = pool?.prices[1] ?? 0n
    expect(expected).toBeGreaterThan(0n)

    const [{ destAmount, data }] = await velora.preProcessTransaction(
      { srcAmount: sold.toString(), destAmount: expected.toString() },
      sell,
      buy,
      'SELL',
      {
        // A first-generation quote is its caller's alone: the one who executes asks.
        recipient: treasury.address,
        txOrigin: treasury.address,
        userAddress: treasury.address,
        slippageFactor: '1',
      },
    )
    // The book is exact for a seller of its base, and rounds against nobody but its reader for the others.
    const quoted = BigInt(destAmount)
    expect(quoted).toBeGreaterThanOrEqual(expected)
    expect(quoted - expected).toBeLessThanOrEqual(symbol === 'WETH' ? 0n : quoted / 10n ** 12n)

    const { targetExchange, exchangeData } = velora.getDexParam(
      sell.address,
      buy.address,
      sold.toString(),
      destAmount,
      treasury.address,
      data,
      'SELL',
    )
    const quote = firmQuote.response.omit({ source: true }).parse(data.quote)
    expect([targetExchange, exchangeData]).toEqual([
      quote.txRequest.target,
      quote.txRequest.calldata,
    ])
    const { receipt, spent, received } = await settleQuote(fork.rpc, {
      quote: { ...quote, source: '' } as Parameters<typeof settleQuote>[1]['quote'],
      privateKey: treasury.privateKey,
    })
    expect([receipt.success, spent, received]).toEqual([true, sold, quoted])
  })

  test('deeper than the book is no price, and a floor above the quote is its own error', async () => {
    const deep = await velora.getPricesVolume(weth, usdc, [0n, 10n ** 24n], 'SELL', 1)
    expect(deep?.[0]?.prices).toEqual([0n, 0n])
    const { address } = fork.ready.wallets.treasury ?? { address: '' }
    await expect(
      velora.preProcessTransaction(
        { srcAmount: `${10n ** 18n}`, destAmount: `${4_000n * 10n ** 6n}` },
        weth,
        usdc,
        'SELL',
        { recipient: address, txOrigin: address, userAddress: address, slippageFactor: '1' },
      ),
    ).rejects.toThrow(/slippage/i)
  })
})
