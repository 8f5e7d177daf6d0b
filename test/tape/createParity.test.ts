import { expect, test } from 'vitest'
import { createBookReader } from '../../src/tape/createBookReader.ts'
import { createParity } from '../../src/tape/createParity.ts'
import { loadTape } from '../../src/tape/loadTape.ts'
import type { TapeLine } from '../../src/tape/tapeLine.ts'
import { header, lineOf as lineAt, start, usdc, weth } from './tapeOf.ts'

const tokens = {
  bySymbol: new Map([weth, usdc].map((token) => [token.symbol, token])),
  wrapped: weth,
}
const reader = createBookReader({ source: 'recorded', tokens })
const bodyAt = (price: number) =>
  JSON.stringify([
    {
      ...{ base_symbol: 'WETH', base_address: weth.address, side: 'bid', minimum_in_base: 0 },
      ...{ quote_symbol: 'USDC', quote_address: usdc.address, levels: [[2, price]] },
    },
  ])
const book = reader.read(bodyAt(3_000)) ?? { ladders: [] }

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

const pair = { token_in: weth.address, token_out: usdc.address }

test('a quote is compared with the book of its own pair, and where there is none with nothing', () => {
  const parity = createParity(reader.indexOf, tokens)
  parity.noteBook(0, book)
  parity.note(lineOf(pair, '3003000000'))
  parity.note(lineOf({ ...pair, token_out: weth.address }, '3000000000'))
  parity.note(lineOf({ token_in: usdc.address, token_out: weth.address }, '1'))
  expect(parity.parity()).toEqual({ compared: 1, medianBps: 10, furthestBps: 10 })
  const bookless = createParity(reader.indexOf, tokens)
  bookless.note(lineOf(pair, '3003000000'))
  expect(bookless.parity()).toMatchObject({ compared: 0 })
})

const quoteAt = (s: number, dollars: number) => ({
  ...lineOf(pair, `${dollars}000000`),
  tWall: start + s * 1_000,
})
const bookAt = (s: number, price: number) => ({
  ...lineAt({ s, bids: [] }),
  body: bodyAt(price),
})

/** How far quotes are from their books on a tape with these lines. */
async function parityOf(...lines: readonly TapeLine[]) {
  const entries = lines.map((line) => ({ kind: 'line' as const, line }))
  const chain = { name: 'local', chainId: 31_337 }
  const tape = await loadTape([{ kind: 'header', header }, ...entries], { chain, tokens })
  return tape.parity
}

test('an answer that comes before the book requested with it is held to that book, also after a night', async () => {
  const night = 9 * 3_600
  const lines = [
    quoteAt(0, 3_000),
    bookAt(1, 3_000),
    quoteAt(night, 2_700),
    bookAt(night + 1, 2_700),
  ]
  expect(await parityOf(...lines)).toEqual({ compared: 2, medianBps: 0, furthestBps: 0 })
})

test('a quote is held to the nearer of the books before and after it, and to one that came', async () => {
  const lines = [bookAt(0, 3_000), quoteAt(4, 3_000), quoteAt(6, 2_700), bookAt(10, 2_700)]
  expect(await parityOf(...lines)).toEqual({ compared: 2, medianBps: 0, furthestBps: 0 })
  const away = { ...bookAt(5, 3_000), status: 503 }
  const last = [bookAt(0, 3_000), quoteAt(4, 3_003), away]
  expect(await parityOf(...last)).toMatchObject({ compared: 1, medianBps: 10 })
})

test.each([
  [30, 1],
  [31, 0],
])('a book %i s before or after a quote is held to it %i times', async (s, compared) => {
  expect(await parityOf(bookAt(0, 3_000), quoteAt(s, 2_700))).toMatchObject({ compared })
  expect(await parityOf(quoteAt(0, 2_700), bookAt(s, 3_000))).toMatchObject({ compared })
})

test('a clock that was set back by an hour holds no quote to the book before that', async () => {
  const lines = [bookAt(3_600, 3_000), quoteAt(0, 2_700), bookAt(1, 2_700)]
  expect(await parityOf(...lines)).toEqual({ compared: 1, medianBps: 0, furthestBps: 0 })
})
