import { expect, test } from 'vitest'
import { isDollar, isWrapperOf, nativeAddress } from '../../src/core/token.ts'

test('a dollar by its name is no share of one', () => {
  const named = (symbols: string) => symbols.split(' ').filter((symbol) => isDollar({ symbol }))
  const dollars =
    'USDC USDT USDC.e USDbC PYUSD GUSD crvUSD sUSD DAI USDe axlUSDC ceUSDC xcUSDT aUSDC'
  expect(named(dollars)).toEqual(dollars.split(' '))
  expect(named('sUSDe stUSDT cUSDC yvUSDC vUSDC wUSDM syrupUSDC eUSDC sDAI WETH')).toEqual([])
})

test('a token that wraps the coin has its decimals', () => {
  const token = { chainId: 1, address: nativeAddress, symbol: 'WBTC', decimals: 8 } as const
  const coin = { ...token, symbol: 'BTC', decimals: 18 }
  expect(isWrapperOf(token, coin)).toBe(false)
  expect(isWrapperOf({ ...token, decimals: 18 }, coin)).toBe(true)
})
