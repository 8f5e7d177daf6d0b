import { describe, expect, test } from 'vitest'
import { moveV3, placeV3 } from '../../src/sandbox/uniswapV3.ts'
import { tickAtSqrtRatio } from '../support/tickAtSqrtRatio.ts'

const low = { address: `0x${'1'.repeat(40)}`, decimals: 18 } as const
const high = { address: `0x${'2'.repeat(40)}`, decimals: 6 } as const
const pool = {
  kind: 'uniswap-v3',
  tokens: ['WETH', 'USDC'],
  fee: 500,
  positions: [{ range: ['2500', '3600'], amounts: ['200', '600000'] }],
} as const
const world = {
  ...pool,
  tokens: [...pool.tokens] as [string, string],
  positions: pool.positions.map(({ range, amounts }) => ({
    range: [...range] as [string, string],
    amounts: [...amounts] as [string, string],
  })),
}
const priceOf = (sqrtPriceX96: bigint) => (Number(sqrtPriceX96) / 2 ** 96) ** 2

describe('placeV3', () => {
  test('amounts and range set the price: 200 WETH and 600,000 USDC between 2500 and 3600 are 3000', () => {
    const { sqrtPriceX96, positions, token0 } = placeV3(world, [low, high])
    expect(token0).toBe(low.address)
    expect(priceOf(sqrtPriceX96) * 1e12).toBeCloseTo(3000, -1)
    expect(Math.abs((priceOf(sqrtPriceX96) * 1e12) / 3000 - 1)).toBeLessThan(0.001)
    const [{ tickLower, tickUpper, amount0, amount1 } = { tickLower: 0, tickUpper: 0 }] = positions
    expect([tickLower % 10, tickUpper % 10]).toEqual([-0, -0])
    expect(1.0001 ** tickLower * 1e12).toBeCloseTo(2500, -1)
    expect(1.0001 ** tickUpper * 1e12).toBeCloseTo(3600, -1)
    expect({ amount0, amount1 }).toEqual({
      amount0: 200n * 10n ** 18n,
      amount1: 600_000n * 10n ** 6n,
    })
  })

  test('whichever token has the lower address', () => {
    const straight = placeV3(world, [low, high])
    const turned = placeV3(world, [{ ...low, address: `0x${'3'.repeat(40)}` }, high])
    expect(turned.token0).toBe(high.address)
    expect(priceOf(turned.sqrtPriceX96) * priceOf(straight.sqrtPriceX96)).toBeCloseTo(1, 3)
    expect(turned.positions[0]?.tickLower).toBe(-(straight.positions[0]?.tickUpper ?? 0))
  })
})

describe('moveV3', () => {
  const { sqrtPriceX96 } = placeV3(world, [low, high])
  const now = priceOf(sqrtPriceX96)

  test('inside the band of the fee nothing is traded', () => {
    for (const price of [now * 0.9996, now, now * 1.0004])
      expect(moveV3({ sqrtPriceX96, fee: 500, price })).toBeUndefined()
  })
  test.each([
    [0.98, 0],
    [1.02, 1],
  ])('at %f of the price it sells token%i until the edge of the band', (share, sells) => {
    const move = moveV3({ sqrtPriceX96, fee: 500, price: now * share })
    expect(move?.sells).toBe(sells)
    const after = priceOf(move?.sqrtPriceLimitX96 ?? 0n)
    expect(after / (now * share)).toBeCloseTo(sells === 0 ? 1 / 0.9995 : 0.9995, 6)
    const limit = move?.sqrtPriceLimitX96 ?? 0n
    expect(moveV3({ sqrtPriceX96: limit, fee: 500, price: now * share })).toBeUndefined()
    expect(tickAtSqrtRatio(limit) < tickAtSqrtRatio(sqrtPriceX96)).toBe(sells === 0)
  })
})
