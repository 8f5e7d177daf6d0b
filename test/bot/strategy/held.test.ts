import { expect, test } from 'vitest'
import { held } from '../../../src/bot/strategy/amounts.ts'

const weth = { chainId: 1, address: '0xAb', symbol: 'WETH', decimals: 18 } as const

test('held: finds a token by chain and address, and is zero of any other', () => {
  const elsewhere = { ...weth, chainId: 2 }
  const balances = [
    { token: elsewhere, wei: 1n },
    { token: { ...weth, address: '0xaB' as const }, wei: 5n },
  ]
  expect(held(balances, weth).wei).toBe(5n)
  expect(held([], weth)).toEqual({ token: weth, wei: 0n })
})
