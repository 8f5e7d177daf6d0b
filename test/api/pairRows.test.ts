import { expect, test } from 'vitest'
import type { OrderPair } from '../../src/api/orderbook.ts'
import { pairRows } from '../../src/api/pairRows.ts'
import { nativeAddress, type Token } from '../../src/core/token.ts'

const token = (symbol: string, digit: string): Token => ({
  chainId: 1,
  address: `0x${digit.repeat(40)}`,
  symbol,
  decimals: 18,
})
const [weth, usdc, dai] = [token('WETH', 'a'), token('USDC', 'b'), token('DAI', 'c')]
const eth: Token = { ...weth, address: nativeAddress, symbol: 'ETH' }
const row = (base: Token, quote: Token, symbol: string): OrderPair => ({
  base_symbol: symbol,
  base_address: base.address,
  quote_symbol: quote.symbol,
  quote_address: quote.address,
  levels: [],
  side: 'bid',
  minimum_in_base: 0,
})
const book = [
  row(weth, usdc, 'first'),
  row(usdc, weth, 'mirrored'),
  row(eth, usdc, 'native'),
  row({ ...weth, address: `0x${'A'.repeat(40)}` }, usdc, 'capitals'),
  row(dai, usdc, 'other'),
]
const symbols = (base: Token, quote: Token) =>
  pairRows(book, { base, quote, wrapped: weth }).map((one) => one.base_symbol)

test('the rows of a pair, in either spelling of its tokens', () => {
  expect(symbols(weth, usdc)).toEqual(['first', 'capitals', 'native'])
  expect(symbols(eth, usdc)).toEqual(['first', 'capitals', 'native'])
  expect(symbols(usdc, weth)).toEqual(['mirrored'])
  expect(symbols(dai, usdc)).toEqual(['other'])
  expect(symbols(dai, weth)).toEqual([])
})

test('of another book, or with another wrapped token, are others', () => {
  const pair = { base: weth, quote: usdc, wrapped: weth }
  expect(pairRows([...book, row(weth, usdc, 'new')], pair)).toContainEqual(row(weth, usdc, 'new'))
  // Where another token wraps the chain's own, the native row is of that one.
  expect(pairRows(book, { ...pair, wrapped: dai }).map((one) => one.base_symbol)).toEqual([
    'first',
    'capitals',
  ])
})
