import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { OrderPair } from '../../../src/api/orderbook.ts'
import { bookLevels } from '../../../src/bot/market/createIndicate.ts'
import { nativeAddress, type Token } from '../../../src/core/token.ts'

const token = (symbol: string, decimals: number, digit: string): Token => ({
  chainId: 31_337,
  address: `0x${digit.repeat(40)}`,
  symbol,
  decimals,
})
const weth = token('WETH', 18, '1')
const usdc = token('USDC', 6, '2')
const eth: Token = { ...weth, symbol: 'ETH', address: nativeAddress }

const side = (which: 'bid' | 'ask', levels: OrderPair['levels']): OrderPair => ({
  base_symbol: 'WETH',
  base_address: weth.address,
  quote_symbol: 'USDC',
  quote_address: usdc.address,
  levels,
  side: which,
  minimum_in_base: 0,
})
const rows = [
  side('ask', [
    [5, 3010.1],
    [7, 3010],
  ]),
  side('bid', [
    [10, 3000],
    [15, 2990.5],
    [0, 4000],
  ]),
]

test('selling the base walks the bids, best first; a level of nothing is nobody', () => {
  expect(bookLevels(rows, { sell: weth, buy: usdc, wrapped: weth })).toEqual([
    { sold: { token: weth, wei: 10n ** 19n }, bought: { token: usdc, wei: 30_000_000_000n } },
    {
      sold: { token: weth, wei: 15n * 10n ** 18n },
      bought: { token: usdc, wei: 44_857_500_000n },
    },
  ])
})

test('buying the base walks the asks, cheapest first', () => {
  expect(bookLevels(rows, { sell: usdc, buy: weth, wrapped: weth })).toEqual([
    {
      sold: { token: usdc, wei: 21_070_000_000n },
      bought: { token: weth, wei: 7n * 10n ** 18n },
    },
    {
      sold: { token: usdc, wei: 15_050_500_000n },
      bought: { token: weth, wei: 5n * 10n ** 18n },
    },
  ])
})

test('the coin stands as what wraps it; a pair that is not there has no levels', () => {
  expect(bookLevels(rows, { sell: eth, buy: usdc, wrapped: weth })[0]?.sold.token).toBe(eth)
  const dai = token('DAI', 18, '3')
  expect(bookLevels(rows, { sell: dai, buy: usdc, wrapped: weth })).toEqual([])
})

test('a level never promises more than it says', () => {
  const number = fc.double({ min: 1e-9, max: 1e9, noNaN: true })
  fc.assert(
    fc.property(number, number, (size, price) => {
      const [level] = bookLevels([side('bid', [[size, price]])], {
        sell: weth,
        buy: usdc,
        wrapped: weth,
      })
      if (level === undefined) return
      const said = size * price
      expect(Number(level.bought.wei) / 1e6).toBeLessThanOrEqual(said * (1 + 1e-12))
      expect(Number(level.sold.wei) / 1e18).toBeGreaterThanOrEqual(size * (1 - 1e-12))
    }),
  )
})
