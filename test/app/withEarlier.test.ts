import { expect, test } from 'vitest'
import type { Plan } from '../../src/bot/stages.ts'
import { type Token, usdOf } from '../../src/core/token.ts'
import { withEarlier } from '../../src/engine/withEarlier.ts'
import { nothingSpent } from '../support/planned.ts'

const token = (symbol: string, digit: string): Token => ({
  chainId: 1,
  address: `0x${digit.repeat(40)}`,
  symbol,
  decimals: 0,
})
const [weth, usdc, dai] = [token('WETH', '1'), token('USDC', '2'), token('DAI', '3')]
const plan = (strategy: string, sell: Token, buy: Token) =>
  ({
    strategy,
    intent: { sell: { token: sell, wei: 5n }, buy },
    notional: { token: usdOf(1), wei: 100n },
  }) as unknown as Plan

test('a dry run counts what its earlier swaps would have taken', () => {
  const earlier = [plan('a', weth, usdc), plan('b', weth, dai), plan('a', usdc, dai)]
  const taken = withEarlier(nothingSpent, { plan: plan('a', weth, dai), earlier, now: 7 })
  expect(taken).toEqual({ ...nothingSpent, sold: 10n, hour: 300n, day: 300n, strategy: 200n })
  const again = withEarlier(nothingSpent, { plan: plan('a', usdc, weth), earlier, now: 7 })
  expect(again).toMatchObject({ sold: 5n, lastAt: 7 })
})
