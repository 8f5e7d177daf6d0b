import { priceSources } from '../../chain/abi/contracts.ts'
import type { Block } from '../../chain/calls/node.ts'
import { readContract } from '../../chain/calls/readContract.ts'
import type { RpcCall, RpcOutcome } from '../../chain/rpc/rpc.ts'
import { comparePrices, type Price } from '../../core/price.ts'
import { type Pool, type ReferenceAnswer, referenceFailure } from './reference.ts'

/** No price counts that was held for fewer blocks or less time than this. */
const held = { blocks: 5, ms: 15_000 }

/**
 * How many blocks before the head a pool is read, three times. Of three prices one may be anything: who moves a pool for
 * less than what `held` says does not move the middle one. The deepest stays within the 128 blocks of state that a full
 * node keeps, on chains of four blocks a second.
 */
function depthsOf(blockTimeMs: number): readonly [number, number, number] {
  const step = Math.max(held.blocks, Math.ceil(held.ms / blockTimeMs))
  return [0, step, 2 * step]
}

/** The reads of a pool, all of them pinned. */
export function poolCalls(
  { venue, address }: Pool,
  { head, blockTimeMs }: { head: number; blockTimeMs: number },
): readonly RpcCall<unknown>[] {
  return depthsOf(blockTimeMs).flatMap((depth): readonly RpcCall<unknown>[] => {
    // Before the first block there is nothing, which is what such a read will find.
    const at = { address, args: [], block: Math.max(0, head - depth) } as const
    if (venue === 'uniswap-v2')
      return [readContract({ ...at, abi: priceSources[venue], functionName: 'getReserves' })]
    return [
      readContract({ ...at, abi: priceSources[venue], functionName: 'slot0' }),
      readContract({ ...at, abi: priceSources[venue], functionName: 'liquidity' }),
    ]
  })
}

/** The middle one of a pool's spot prices. A window with a hole in it gives no price. */
export function poolPrice(
  pool: Pool,
  answers: readonly RpcOutcome<unknown>[],
  { head, blockTimeMs, now }: { head: Block; blockTimeMs: number; now: number },
): ReferenceAnswer {
  const depths = depthsOf(blockTimeMs)
  const each = answers.length / depths.length
  const prices: Price[] = []
  for (const [index, depth] of depths.entries()) {
    const values: unknown[] = []
    for (const answer of answers.slice(index * each, (index + 1) * each)) {
      if (!answer.ok)
        return { reason: `${depth} blocks before the head: ${referenceFailure(answer.error)}` }
      values.push(answer.value)
    }
    const price = spotPrice(pool, values)
    if (price === undefined) return { reason: `it was empty ${depth} blocks before the head` }
    prices.push(price)
  }
  const [, middle] = prices.sort(comparePrices)
  if (middle === undefined) return { reason: 'it was not read' }
  return { price: middle, at: Math.min(now, head.timestamp * 1_000) }
}

/** Exact: a v3 pool keeps √(token1 per token0) in units of 2^-96. Undefined where nothing stands behind a price. */
function spotPrice({ venue, pair }: Pool, values: readonly unknown[]): Price | undefined {
  const [first, second] = pair
  const inOrder = BigInt(first.address) < BigInt(second.address)
  const [token0, token1] = inOrder ? [first, second] : [second, first]
  const [wei0, wei1] = venue === 'uniswap-v2' ? reserves(values) : square(values)
  if (wei0 === 0n || wei1 === 0n) return undefined
  const [side0, side1] = [
    { token: token0, wei: wei0 },
    { token: token1, wei: wei1 },
  ]
  return inOrder ? { sold: side0, bought: side1 } : { sold: side1, bought: side0 }
}

function reserves([answer]: readonly unknown[]): readonly [bigint, bigint] {
  const [reserve0, reserve1] = answer as readonly [bigint, bigint]
  return [reserve0, reserve1]
}

function square([root, liquidity]: readonly unknown[]): readonly [bigint, bigint] {
  // Without liquidity in range a swap of nothing moves the price anywhere.
  if (liquidity === 0n) return [0n, 0n]
  return [2n ** 192n, (root as bigint) ** 2n]
}
