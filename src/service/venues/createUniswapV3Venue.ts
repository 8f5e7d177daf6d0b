import { encodeAbiParameters } from 'viem'
import type { PoolState } from '../../chain/uniswapV3/poolState.ts'
import { readPool } from '../../chain/uniswapV3/readPool.ts'
import { swap0, swap1 } from '../../chain/uniswapV3/swap.ts'
import { rememberRatios } from '../../chain/uniswapV3/ticks.ts'
import type { Address, Token } from '../../core/token.ts'
import { pieces0, pieces1 } from './uniswapV3/poolPieces.ts'
import type { Offer, Piece, Venue, VenueState } from './venue.ts'

/** Measured on a fork, beside other legs and within one range. */
const legGas = 103_000n

/** To cross an initialised tick: five slots of it are written. Measured as QuoterV2 sees it. */
const tickGas = 38_000n

/** A Uniswap v3 pool, quoted with the pool's own integer steps. Its fee and its spacing never change. */
export function createUniswapV3Venue({
  address,
  tokens: [a, b],
  fee,
  spacing,
}: {
  address: Address
  tokens: readonly [Token, Token]
  /** Millionths of the input. */
  fee: number
  spacing: number
}): Venue {
  const id = `univ3:${address}`
  const [token0, token1] = BigInt(a.address) < BigInt(b.address) ? [a, b] : [b, a]
  const executorData = encodeAbiParameters([{ type: 'uint8' }, { type: 'uint24' }], [3, fee])
  const ratioAt = rememberRatios()

  const stateOf = (pool: PoolState): VenueState => {
    const offer = (
      sell: Token,
      buy: Token,
      { swap, pieces }: { swap: typeof swap0; pieces: typeof pieces0 },
    ): Offer => {
      // Searched by every request of the block, so drawn once, and only on demand.
      let curve: readonly Piece[] | undefined
      return {
        source: id,
        sell,
        buy,
        feeBps: fee / 100,
        fill(sellWei) {
          const buyWei = swap(pool, sellWei, ratioAt)
          if (buyWei === undefined) return { kind: 'exceeds-depth' }
          return buyWei === 0n ? { kind: 'below-minimum' } : { kind: 'filled', buyWei }
        },
        curve() {
          curve ??= pieces(pool, ratioAt)
          return curve
        },
        minimum: { sellWei: 0n, buyWei: 0n },
        gas: legGas,
        gasPerPiece: tickGas,
        resource: id,
        settlement: { kind: 'amm', executorData },
      }
    }
    const offers = [
      offer(token0, token1, { swap: swap0, pieces: pieces0 }),
      offer(token1, token0, { swap: swap1, pieces: pieces1 }),
    ]
    return { offers: () => offers, rows: () => [] }
  }
  return {
    id,
    pairs: [[a, b]],
    sharesCalls: true,
    ...readPool({ address, fee, spacing }, stateOf),
  }
}
