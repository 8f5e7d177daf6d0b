import { expect, test } from 'vitest'
import type { Reference } from '../../../src/bot/reference/reference.ts'
import { waysBetween } from '../../../src/bot/reference/waysBetween.ts'
import { type Token, usdOf } from '../../../src/core/token.ts'

const token = (symbol: string, index: number): Token => ({
  chainId: 1,
  address: `0x${index.toString(16).padStart(40, '0')}`,
  symbol,
  decimals: 18,
})
const [weth, usdc, wbtc, dai] = ['WETH', 'USDC', 'WBTC', 'DAI'].map((symbol, index) =>
  token(symbol, index + 1),
) as [Token, Token, Token, Token]
const usd = usdOf(1)

const feed = (...pair: readonly [Token, Token]): Reference => ({
  kind: 'feed',
  pair,
  address: weth.address,
  ageMsMax: 1,
})
const wethUsd = feed(weth, usd)
const usdcUsd = feed(usdc, usd)
const usdcWeth = feed(usdc, weth)
const wethWbtc = feed(weth, wbtc)
const wbtcUsdc = feed(wbtc, usdc)
const all = [wethUsd, usdcUsd, usdcWeth, wethWbtc, wbtcUsdc]

test('waysBetween: what is of the pair, either way round, and what meets in the dollar', () => {
  expect(waysBetween(all, { from: weth, to: usdc })).toEqual([[usdcWeth], [wethUsd, usdcUsd]])
  expect(waysBetween(all, { from: usdc, to: weth })).toEqual([[usdcWeth], [usdcUsd, wethUsd]])
})

test('waysBetween: another token is a bridge only where there is nothing nearer', () => {
  expect(waysBetween([wethWbtc, wbtcUsdc], { from: weth, to: usdc })).toEqual([
    [wethWbtc, wbtcUsdc],
  ])
  expect(waysBetween([wethWbtc, wbtcUsdc, usdcWeth], { from: weth, to: usdc })).toEqual([
    [usdcWeth],
  ])
})

test('waysBetween: the dollar is an end like another', () => {
  expect(waysBetween(all, { from: weth, to: usd })).toEqual([[wethUsd]])
  expect(waysBetween(all, { from: wbtc, to: usd })).toEqual([
    [wethWbtc, wethUsd],
    [wbtcUsdc, usdcUsd],
  ])
})

test('waysBetween: three in a row are no way, and nothing leads where nobody is', () => {
  expect(waysBetween([wethWbtc, wbtcUsdc, usdcUsd], { from: weth, to: usd })).toEqual([])
  expect(waysBetween(all, { from: weth, to: dai })).toEqual([])
})
