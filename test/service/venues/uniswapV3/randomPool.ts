import type { PoolState } from '../../../../src/chain/uniswapV3/poolState.ts'
import { sqrtRatioAtTick } from '../../../../src/chain/uniswapV3/ticks.ts'

/** Numbers in [0, 1), the same for the same seed. */
export function random(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const tiers = [
  [100n, 1],
  [500n, 10],
  [3000n, 60],
  [10000n, 200],
] as const

/** A pool as positions of many sizes and widths leave it: gaps, crowded ticks, a price anywhere between two ticks. */
export function randomPool(next: () => number): PoolState {
  const pick = (count: number) => Math.floor(next() * count)
  const [fee, spacing] = tiers[pick(tiers.length)] ?? tiers[0]
  const tick = pick(400_000) - 200_000
  const nets = new Map<number, bigint>()
  let liquidity = 0n
  const aligned = (at: number) => Math.floor(at / spacing) * spacing
  for (let count = 1 + pick(25); count > 0; count -= 1) {
    const reach = spacing * 10 ** (next() * 3.3)
    const low = aligned(tick - reach * (next() * 2 - 0.5))
    const high = aligned(low + spacing + reach * next() * 2)
    const size = BigInt(Math.floor(10 ** (6 + next() * 16)))
    if (high <= low || low < -880_000 || high > 880_000) continue
    nets.set(low, (nets.get(low) ?? 0n) + size)
    nets.set(high, (nets.get(high) ?? 0n) - size)
    if (low <= tick && tick < high) liquidity += size
  }
  const floor = sqrtRatioAtTick(tick)
  const room = sqrtRatioAtTick(tick + 1) - floor
  return {
    price: floor + (room * BigInt(pick(1_000_000))) / 1_000_000n,
    tick,
    liquidity,
    fee,
    spacing,
    ticks: [...nets]
      .filter(([, net]) => net !== 0n)
      .map(([at, net]) => ({ tick: at, net }))
      .sort((a, b) => a.tick - b.tick),
    lowest: -887_272,
    highest: 887_272,
  }
}
