import { expect, test } from 'vitest'
import { swap } from '../../../src/bot/strategy/index.ts'
import { contextWith } from '../../../src/bot/strategy/testing.ts'
import { parseAmount } from '../../../src/core/amount.ts'
import { comparisonsOf } from '../../../src/story/comparisonsOf.ts'
import { usdc, weth } from '../../tape/tapeOf.ts'

const bySymbol = new Map([weth, usdc].map((token) => [token.symbol, token]))
const of = (text: string) => parseAmount(text, bySymbol)
const price = (sold: string, bought: string) => ({ sold: of(sold), bought: of(bought), route: [] })

test('a floor is held to the direction it is for, a parameter to both', () => {
  const context = contextWith(
    { price: price('1 WETH', '3000 USDC') },
    { indications: [price('1 WETH', '2990 USDC'), price('3000 USDC', '1 WETH')] },
  )
  const decision = swap({
    sell: of('3000 USDC'),
    buy: weth,
    floor: of('0.99 WETH'),
    reason: 'a test',
  })
  const told = comparisonsOf(context, decision).map(({ market, bound }) => [
    bound,
    market.split(' ').slice(1).join(' '),
  ])
  expect(told).toEqual([
    ['params.price', 'USDC per WETH'],
    ['floor', 'WETH per USDC'],
    ['params.price', 'WETH per USDC'],
  ])
})
