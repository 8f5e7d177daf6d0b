import { expect, test } from 'vitest'
import { floorOf } from '../../src/app/manualSwap.ts'
import type { Token } from '../../src/core/token.ts'

const token = (symbol: string, decimals: number): Token => ({
  ...{ chainId: 1, symbol, decimals },
  address: `0x${symbol.length.toString(16).repeat(40)}`,
})
const [usdc, fund] = [token('USDC', 6), token('SHARES', 0)]

test('the floor of few units is that of their exact rate', () => {
  const sell = { token: usdc, wei: 500_000_000n }
  const reference = {
    ...{ source: 'feed', independent: true, endpoints: ['a'], liarsMin: 1, at: 0 },
    fair: { token: fund, wei: 1n },
    exact: { sold: { token: usdc, wei: 300_000_000n }, bought: { token: fund, wei: 1n } },
  }
  const appraisal = { askedAt: 0, absent: [], notional: undefined, coin: undefined, pegs: [] }
  const { floor } = floorOf(
    // Rounded, both are one; in the middle is the dearer of two.
    {
      ...appraisal,
      references: [
        reference,
        { ...reference, exact: { ...reference.exact, sold: { token: usdc, wei: 490_000_000n } } },
      ],
    },
    { sell, buy: fund, wish: 'buy', slippageBps: 50 },
  )
  // 500 dollars are worth one and two thirds of them.
  expect(floor).toEqual({ token: fund, wei: 2n })
})
