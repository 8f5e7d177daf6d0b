import { parseDecimal } from '../core/decimal.ts'
import type { Address } from '../core/token.ts'
import { spacingOf, sqrtRatioAtTick } from '../service/venues/uniswapV3/ticks.ts'
import type { PoolV3 } from './world.ts'

type Placed = { readonly address: Address; readonly decimals: number }

/** A v3 pool as the contracts take it: tokens in the order of their addresses, prices as ticks. */
export type PlacedV3 = {
  readonly token0: Address
  readonly token1: Address
  readonly sqrtPriceX96: bigint
  readonly positions: readonly {
    readonly tickLower: number
    readonly tickUpper: number
    readonly amount0: bigint
    readonly amount1: bigint
  }[]
}

/** Turns prices and amounts in text into ticks and smallest units. Range ends go to the nearest usable tick. */
export function placeV3({ positions, fee }: PoolV3, [a, b]: readonly [Placed, Placed]): PlacedV3 {
  const inOrder = BigInt(a.address) < BigInt(b.address)
  const spacing = spacingOf[fee]
  const scale = 10 ** (b.decimals - a.decimals)
  const tickAt = (price: number) =>
    Math.round(Math.log(price) / Math.log(1.0001) / spacing) * spacing
  const placed = positions.map(({ range, amounts }) => {
    const ends = range.map((text) => Number(text) * scale)
    const ticks = ends.map((price) => tickAt(inOrder ? price : 1 / price)).sort((x, y) => x - y)
    const wei = [parseDecimal(amounts[0], a.decimals), parseDecimal(amounts[1], b.decimals)]
    const [amount0 = 0n, amount1 = 0n] = inOrder ? wei : wei.reverse()
    const [tickLower = 0, tickUpper = 0] = ticks
    return { tickLower, tickUpper, amount0, amount1 }
  })
  const [token0, token1] = inOrder ? [a.address, b.address] : [b.address, a.address]
  return { token0, token1, positions: placed, sqrtPriceX96: priceOf(placed[0]) }
}

/**
 * The √price p at which two amounts fill a range with the same liquidity: x·p·u / (u − p) = y / (p − l).
 * In doubles: which price a sandbox starts at is nobody's money.
 */
function priceOf(first: PlacedV3['positions'][number] | undefined): bigint {
  if (first === undefined) return 0n
  const q96 = 2 ** 96
  const low = Number(sqrtRatioAtTick(first.tickLower)) / q96
  const high = Number(sqrtRatioAtTick(first.tickUpper)) / q96
  const [x, y] = [Number(first.amount0), Number(first.amount1)]
  const b = x * low * high - y
  const root = (b + Math.sqrt(b * b + 4 * x * y * high * high)) / (2 * x * high)
  return BigInt(Math.floor(root * q96))
}
