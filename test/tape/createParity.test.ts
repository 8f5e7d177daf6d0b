import { expect, test } from 'vitest'
import { createBookReader } from '../../src/tape/createBookReader.ts'
import { createParity } from '../../src/tape/createParity.ts'
import type { TapeLine } from '../../src/tape/tapeLine.ts'
import { usdc, weth } from './tapeOf.ts'

const tokens = {
  bySymbol: new Map([weth, usdc].map((token) => [token.symbol, token])),
  wrapped: weth,
}
const reader = createBookReader({ source: 'recorded', tokens })
const book = reader.read(
  JSON.stringify([
    {
      ...{ base_symbol: 'WETH', base_address: weth.address, side: 'bid', minimum_in_base: 0 },
      ...{ quote_symbol: 'USDC', quote_address: usdc.address, levels: [[2, 3_000]] },
    },
  ]),
)

const lineOf = (query: Readonly<Record<string, string>>, wei: string): TapeLine => ({
  ...{ tMono: 0, tWall: 0, endpoint: 'indicative-quote', status: 200, latencyMs: 0, headBlock: 1 },
  query: String(new URLSearchParams({ amount_wei: '1000000000000000000', ...query })),
  body: JSON.stringify({
    ...{ success: true, sellerToken: weth.address, buyerToken: usdc.address, routes: [] },
    ...{ sellerTokenAmount: '1', sellerTokenAmountWei: '1000000000000000000', price: 3_000 },
    ...{ buyerTokenAmount: 3_000, buyerTokenAmountWei: wei },
    ...{ widgetFeeUsd: 0, liquidityProviderFeeUsd: 0, totalFeeUsd: 0 },
  }),
})

test('a quote is compared with the book of its own pair, and where there is none with nothing', () => {
  const parity = createParity(reader.indexOf, tokens)
  const pair = { token_in: weth.address, token_out: usdc.address }
  parity.note(lineOf(pair, '3003000000'), book)
  parity.note(lineOf({ ...pair, token_out: weth.address }, '3000000000'), book)
  parity.note(lineOf({ token_in: usdc.address, token_out: weth.address }, '1'), book)
  parity.note(lineOf(pair, '3003000000'), undefined)
  expect(parity.parity()).toEqual({ compared: 1, medianBps: 10, furthestBps: 10 })
})
