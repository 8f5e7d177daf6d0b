import type { PoolState, RatioAt } from '../../../chain/uniswapV3/poolState.ts'
import { feeScale, stepDown, stepUp } from '../../../chain/uniswapV3/swap.ts'
import { countUpTo, stopAbove, stopBelow } from '../../../chain/uniswapV3/ticks.ts'
import type { Piece } from '../venue.ts'

/** More stretches than this of equal liquidity lie beyond any amount sold at once. */
const piecesMax = 128

/** A range of liquidity L behaves as reserves of L/√P and L·√P; each ends where the pool itself stops. */
export function pieces0(state: PoolState, ratioAt: RatioAt): readonly Piece[] {
  const { fee, spacing, ticks, lowest } = state
  let { price, tick, liquidity } = state
  let index = countUpTo(state, tick) - 1
  const walk = walkOf(state)
  while (walk.pieces.length < piecesMax) {
    const candidate = ticks[index]
    const stop = stopBelow(tick, candidate?.tick, spacing)
    if (stop < lowest || (candidate === undefined && liquidity === 0n)) break
    const target = ratioAt(stop)
    const step = stepDown({ price, target, liquidity, amount: beyondAny, fee })
    walk.add(step, { liquidity, root: Number(price) / q96 })
    price = target
    if (candidate?.tick === stop) {
      liquidity -= candidate.net
      index -= 1
    }
    tick = stop - 1
  }
  return walk.pieces
}

/** Selling token1: the price is upside down. */
export function pieces1(state: PoolState, ratioAt: RatioAt): readonly Piece[] {
  const { fee, spacing, ticks, highest } = state
  let { price, tick, liquidity } = state
  let index = countUpTo(state, tick)
  const walk = walkOf(state)
  while (walk.pieces.length < piecesMax) {
    const candidate = ticks[index]
    const stop = stopAbove(tick, candidate?.tick, spacing)
    if (stop > highest || (candidate === undefined && liquidity === 0n)) break
    const target = ratioAt(stop)
    const step = stepUp({ price, target, liquidity, amount: beyondAny, fee })
    walk.add(step, { liquidity, root: q96 / Number(price) })
    price = target
    if (candidate?.tick === stop) {
      liquidity += candidate.net
      index += 1
    }
    tick = stop
  }
  return walk.pieces
}

const q96 = 2 ** 96
const beyondAny = 2n ** 200n

/** Collects steps; `root` is √(bought per sold) before the fee. */
function walkOf({ fee }: PoolState) {
  const kept = 1 - Number(fee) / Number(feeScale)
  const pieces: Piece[] = []
  let until = 0n
  let ranged: bigint | undefined
  return {
    pieces,
    add({ taken }: { taken: bigint }, { liquidity, root }: { liquidity: bigint; root: number }) {
      if (taken === 0n) return
      until += taken
      const last = pieces.at(-1)
      // The end of a bitmap word is a stop, but no end of the range.
      if (last !== undefined && ranged === liquidity) {
        pieces[pieces.length - 1] = { ...last, until, size: last.size + Number(taken) }
        return
      }
      ranged = liquidity
      pieces.push({
        until,
        size: Number(taken),
        price: kept * root ** 2,
        curvature: (kept * root) / Number(liquidity),
      })
    },
  }
}
