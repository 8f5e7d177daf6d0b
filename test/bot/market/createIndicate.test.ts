import { describe, expect, test } from 'vitest'
import type { IndicativeQuote } from '../../../src/api/indicativeQuote.ts'
import { createIndicate } from '../../../src/bot/market/createIndicate.ts'
import { BallastError } from '../../../src/core/errors.ts'

const from = '0x00000000000000000000000000000000000000aa'
const weth = {
  chainId: 31337,
  address: '0x00000000000000000000000000000000000000Ab',
  symbol: 'WETH',
  decimals: 18,
} as const
const usdc = {
  chainId: 31337,
  address: '0x0000000000000000000000000000000000000002',
  symbol: 'USDC',
  decimals: 6,
} as const
const sell = { token: weth, wei: 10n ** 18n }

const quote = (overrides: Partial<IndicativeQuote> = {}): IndicativeQuote => ({
  success: true,
  buyerToken: usdc.address,
  sellerToken: '0x00000000000000000000000000000000000000aB',
  buyerTokenAmount: 1,
  buyerTokenAmountWei: '3000000001',
  sellerTokenAmount: '1',
  sellerTokenAmountWei: '1000000000000000000',
  price: 1,
  widgetFeeUsd: 0,
  liquidityProviderFeeUsd: 0,
  totalFeeUsd: 0,
  routes: ['WETH', 'USDC'],
  ...overrides,
})

const answering = (answer: () => IndicativeQuote) => {
  const asked: unknown[] = []
  const indicate = createIndicate({
    chain: 'local',
    quotes: {
      indicative: async (ask) => {
        asked.push(ask)
        return { value: answer() }
      },
    },
  })
  return { asked, indicate }
}

describe('indicate', () => {
  test('asks in wei and believes only wei', async () => {
    const { asked, indicate } = answering(quote)
    expect(await indicate({ sell, buy: usdc, from })).toEqual({
      sold: sell,
      bought: { token: usdc, wei: 3_000_000_001n },
      route: ['WETH', 'USDC'],
    })
    expect(asked).toEqual([
      {
        chain: 'local',
        token_in: weth.address,
        token_out: usdc.address,
        amount_wei: '1000000000000000000',
        from_address: from,
      },
    ])
  })

  test.each([
    ['another amount', { sellerTokenAmountWei: '999999999999999999' }],
    ['another sold token', { sellerToken: usdc.address }],
    ['another bought token', { buyerToken: weth.address }],
  ])('refuses an answer about %s', async (_what, overrides) => {
    const { indicate } = answering(() => quote(overrides))
    await expect(indicate({ sell, buy: usdc, from })).rejects.toMatchObject({
      code: 'QUOTE_MALFORMED',
    })
  })

  test.each([
    ['NO_LIQUIDITY', undefined],
    ['PAIR_UNSUPPORTED', undefined],
    ['RATE_LIMITED', 'RATE_LIMITED'],
  ])('%s comes out as %s', async (code, thrown) => {
    const { indicate } = answering(() => {
      throw new BallastError('No.', { code, remedy: 'skip', fault: 'refused' })
    })
    const outcome = await indicate({ sell, buy: usdc, from }).catch((error) => error.code)
    expect(outcome).toBe(thrown)
  })
})
