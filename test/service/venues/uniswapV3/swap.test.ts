import { createRequire } from 'node:module'
import { describe, expect, test } from 'vitest'
import type { PoolState } from '../../../../src/chain/uniswapV3/poolState.ts'
import { swap0, swap1 } from '../../../../src/chain/uniswapV3/swap.ts'
import { sqrtRatioAtTick, tickMax } from '../../../../src/chain/uniswapV3/ticks.ts'
import { pieces0, pieces1 } from '../../../../src/service/venues/uniswapV3/poolPieces.ts'
import { tickAtSqrtRatio } from '../../../support/tickAtSqrtRatio.ts'
import { random, randomPool } from './randomPool.ts'

// Their builds as modules import files by no name that Node resolves.
const require = createRequire(import.meta.url)
const { CurrencyAmount, Token } = require('@uniswap/sdk-core') as typeof import('@uniswap/sdk-core')
const { Pool, TickMath } = require('@uniswap/v3-sdk') as typeof import('@uniswap/v3-sdk')

const token0 = new Token(1, `0x${'1'.repeat(40)}`, 18)
const token1 = new Token(1, `0x${'2'.repeat(40)}`, 18)

/** `npm run test:swaps` takes more. */
const swaps = Number(process.env.SWAPS ?? 5_000)

/** The published implementation. Undefined: the pool runs out. */
async function published(state: PoolState, sells0: boolean, amount: bigint) {
  const pool = new Pool(
    token0,
    token1,
    Number(state.fee),
    state.price.toString(),
    state.liquidity.toString(),
    state.tick,
    state.ticks.map(({ tick, net }) => ({
      index: tick,
      liquidityNet: net.toString(),
      liquidityGross: (net < 0n ? -net : net).toString(),
    })),
  )
  const input = CurrencyAmount.fromRawAmount(sells0 ? token0 : token1, amount.toString())
  try {
    const [output] = await pool.getOutputAmount(input)
    return BigInt(output.quotient.toString())
  } catch (error) {
    // It walks off the end of its list of ticks.
    if (/Invariant failed/.test(String(error))) return undefined
    throw error
  }
}

describe('v3 swap', () => {
  test('random swaps equal the published SDK to the wei', async () => {
    const next = random(20260101)
    let compared = 0
    let ended = 0
    while (compared < swaps) {
      const state = randomPool(next)
      for (let turn = 0; turn < 8; turn += 1) {
        const sells0 = next() < 0.5
        const pieces = sells0 ? pieces0(state, sqrtRatioAtTick) : pieces1(state, sqrtRatioAtTick)
        const depth = Number(pieces.at(-1)?.until ?? 0n)
        // From one unit to just beyond the depth, evenly over the magnitudes.
        const amount = BigInt(Math.floor(Math.max(2, depth * 1.05) ** next()))
        const ours = (sells0 ? swap0 : swap1)(state, amount, sqrtRatioAtTick)
        if (ours === undefined) {
          ended += 1
          continue
        }
        compared += 1
        expect({ state, sells0, amount, out: ours }).toEqual({
          state,
          sells0,
          amount,
          out: await published(state, sells0, amount),
        })
      }
    }
    process.stdout.write(`v3: ${compared} swaps equal, ${ended} beyond the depth\n`)
  })

  test('exactly the depth is filled, a unit more is not', () => {
    const next = random(7)
    for (let run = 0; run < 300; run += 1) {
      const state = randomPool(next)
      for (const [pieces, swap] of [
        [pieces0(state, sqrtRatioAtTick), swap0],
        [pieces1(state, sqrtRatioAtTick), swap1],
      ] as const) {
        const last = pieces.at(-1)
        if (last === undefined || pieces.length === 128) continue
        expect(swap(state, last.until, sqrtRatioAtTick)).toBeDefined()
        expect(swap(state, last.until + 1n, sqrtRatioAtTick)).toBeUndefined()
      }
    }
  })

  test('the curve is the swap in doubles', () => {
    const next = random(11)
    for (let run = 0; run < 300; run += 1) {
      const state = randomPool(next)
      let exact = 0n
      let estimate = 0
      for (const { until, size, price, curvature } of pieces0(state, sqrtRatioAtTick)) {
        estimate += (price * size) / (1 + curvature * size)
        exact = swap0(state, until, sqrtRatioAtTick) ?? 0n
      }
      if (exact > 10n ** 12n) expect(Math.abs(Number(exact) / estimate - 1)).toBeLessThan(1e-6)
    }
  })
})

describe('ticks', () => {
  test('√price at a tick equals the SDK over the whole range', () => {
    for (let tick = -tickMax; tick <= tickMax; tick += 997)
      expect(sqrtRatioAtTick(tick)).toBe(BigInt(TickMath.getSqrtRatioAtTick(tick).toString()))
    for (const tick of [-tickMax, -1, 0, 1, tickMax])
      expect(sqrtRatioAtTick(tick)).toBe(BigInt(TickMath.getSqrtRatioAtTick(tick).toString()))
  })

  test('the tick at a √price is the greatest that is not above it', () => {
    for (const tick of [-tickMax, -200_001, -1, 0, 1, 76_012, tickMax - 1]) {
      expect(tickAtSqrtRatio(sqrtRatioAtTick(tick))).toBe(tick)
      expect(tickAtSqrtRatio(sqrtRatioAtTick(tick + 1) - 1n)).toBe(tick)
    }
  })
})
