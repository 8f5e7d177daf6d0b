import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { OrderPair } from '../../src/api/orderbook.ts'
import { bookLevels } from '../../src/bot/market/createIndicate.ts'
import { createBookReader } from '../../src/tape/createBookReader.ts'
import { ladderLevels, sellInto } from '../../src/tape/ladder.ts'
import { sellBase, sellQuote } from '../contract/walkBook.ts'
import { eth, usdc, weth } from './tapeOf.ts'

const tokens = {
  bySymbol: new Map([weth, usdc, eth].map((token) => [token.symbol, token])),
  wrapped: weth,
}

const rowOf = (side: 'ask' | 'bid', levels: OrderPair['levels'], minimum = 0): OrderPair => ({
  base_symbol: 'WETH',
  base_address: weth.address,
  quote_symbol: 'USDC',
  quote_address: usdc.address,
  levels,
  side,
  minimum_in_base: minimum,
})

function ladderOf(row: OrderPair) {
  const reader = createBookReader({ source: 'recorded', tokens })
  const book = reader.read(JSON.stringify([row]))
  const [sold, bought] = row.side === 'bid' ? [weth, usdc] : [usdc, weth]
  const ladder = book?.ladders[reader.indexOf(sold, bought) ?? -1]
  if (ladder === undefined) throw new Error('the book lacks the row')
  return ladder
}

const decimals = { base: 18, quote: 6 }
/** Sizes and prices as services write them: few digits, many digits, and exponents. */
const number = fc.oneof(
  fc.integer({ min: 1, max: 10_000 }).map((value) => value / 100),
  fc.double({ min: 1e-9, max: 1e6, noNaN: true, noDefaultInfinity: true }),
)
const levels = fc.array(fc.tuple(number, number), { minLength: 1, maxLength: 6 })

test('sellInto: equals the exact walk of the conformance tests, which shares no code with it', () => {
  fc.assert(
    fc.property(levels, fc.bigInt({ min: 1n, max: 10n ** 22n }), (book, wei) => {
      const bid = rowOf('bid', book)
      expect(sellInto(ladderOf(bid), wei)).toBe(sellBase(bid, decimals, wei))
      const ask = rowOf('ask', book)
      const quote = wei / 10n ** 10n
      expect(sellInto(ladderOf(ask), quote)).toBe(sellQuote(ask, decimals, quote))
    }),
    { numRuns: 500 },
  )
})

test("sellInto: nothing below the maker's minimum, and nothing beyond the depth", () => {
  const bid = ladderOf(rowOf('bid', [[2, 3000]], 0.5))
  expect(sellInto(bid, 5n * 10n ** 17n)).toBe(1_500_000_000n)
  expect(sellInto(bid, 5n * 10n ** 17n - 1n)).toBeUndefined()
  expect(sellInto(bid, 2n * 10n ** 18n + 1n)).toBeUndefined()
  const ask = ladderOf(rowOf('ask', [[2, 3000]], 0.5))
  expect(sellInto(ask, 1_500_000_000n)).toBe(5n * 10n ** 17n)
  expect(sellInto(ask, 1_499_999_999n)).toBeUndefined()
})

test('ladderLevels: what a live strategy is given, level by level', () => {
  fc.assert(
    fc.property(levels, (book) => {
      for (const row of [rowOf('bid', book), rowOf('ask', book)]) {
        const [sell, buy] = row.side === 'bid' ? [eth, usdc] : [usdc, eth]
        expect(ladderLevels(ladderOf(row), { sold: sell, bought: buy })).toEqual(
          bookLevels([row], { sell, buy, wrapped: weth }),
        )
      }
    }),
  )
})

test('several rows of one side are walked best price first, the coin is traded as its wrapped form', () => {
  const reader = createBookReader({ source: 'recorded', tokens })
  const rows = [
    { ...rowOf('bid', [[1, 2990]]), base_address: eth.address, base_symbol: 'ETH', side: 'BID' },
    rowOf('bid', [[1, 3000]]),
  ]
  const book = reader.read(JSON.stringify(rows))
  const ladder = book?.ladders[reader.indexOf(eth, usdc) ?? -1]
  expect(ladder && sellInto(ladder, 15n * 10n ** 17n)).toBe(4_495_000_000n)
})

test('a body that is no order book is none', () => {
  const reader = createBookReader({ source: 'recorded', tokens })
  expect(reader.read('<html>')).toBeUndefined()
  expect(reader.read('[{"levels":[[1,-2]]}]')).toBeUndefined()
})
