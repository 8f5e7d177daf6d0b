import type { PoolState } from '../../../src/chain/uniswapV3/poolState.ts'
import { swap0 } from '../../../src/chain/uniswapV3/swap.ts'
import { rememberRatios } from '../../../src/chain/uniswapV3/ticks.ts'
import type { Token } from '../../../src/core/token.ts'
import { levelPieces } from '../../../src/service/makers/levelPieces.ts'
import {
  type MakerLevel,
  priceScale,
  sellIntoAsks,
  sellIntoBids,
} from '../../../src/service/makers/levels.ts'
import { pieces0 } from '../../../src/service/venues/uniswapV3/poolPieces.ts'
import type { Offer, VenueFill } from '../../../src/service/venues/venue.ts'

const tokenOf = (symbol: string, decimals: number, digit: string): Token => ({
  chainId: 31337,
  symbol,
  decimals,
  address: `0x${digit.repeat(40)}`,
})
export const WETH = tokenOf('WETH', 18, '1')
export const USDC = tokenOf('USDC', 6, '2')
export const DAI = tokenOf('DAI', 18, '3')
export const WBTC = tokenOf('WBTC', 8, '4')

type Pair = { readonly source: string; readonly sell: Token; readonly buy: Token }

const common = { feeBps: 0, minimum: { sellWei: 0n, buyWei: 0n } }
const settlement = { kind: 'amm', executorData: '0x' } as const
const filled = (buyWei: bigint | undefined): VenueFill => {
  if (buyWei === undefined) return { kind: 'exceeds-depth' }
  return buyWei === 0n ? { kind: 'below-minimum' } : { kind: 'filled', buyWei }
}

/** A v2 pair's own formula over two reserves. */
export function pairOffer(
  pair: Pair,
  { sold, bought }: { sold: bigint; bought: bigint },
  gas = 90_000n,
): Offer {
  const curvature = 0.997 / Number(sold)
  return {
    ...pair,
    ...common,
    settlement,
    gas,
    resource: pair.source,
    fill(sellWei) {
      const input = sellWei * 997n
      return filled((input * bought) / (sold * 1000n + input))
    },
    curve: () => [
      { until: 2n ** 112n, size: 2 ** 112, price: Number(bought) * curvature, curvature },
    ],
  }
}

/** A v3 pool whose token0 is sold. */
export function poolOffer(pair: Pair, state: PoolState, gas = 100_000n): Offer {
  const ratioAt = rememberRatios()
  return {
    ...pair,
    ...common,
    settlement,
    gas,
    resource: pair.source,
    fill: (sellWei) => filled(swap0(state, sellWei, ratioAt)),
    curve: () => pieces0(state, ratioAt),
  }
}

/** A maker's levels in amounts of base and prices in quote per base, both as text of whole units. */
export function makerOffer(
  pair: Pair,
  {
    side,
    levels,
    minimum = 0n,
    gas = 110_000n,
    resource = pair.source,
  }: {
    side: 'bid' | 'ask'
    levels: readonly MakerLevel[]
    minimum?: bigint
    gas?: bigint
    resource?: string
  },
): Offer {
  const [base, quote] = side === 'bid' ? [pair.sell, pair.buy] : [pair.buy, pair.sell]
  return {
    ...pair,
    ...common,
    settlement,
    gas,
    resource,
    minimum: side === 'bid' ? { sellWei: minimum, buyWei: 0n } : { sellWei: 0n, buyWei: minimum },
    fill(sellWei) {
      if (side === 'bid' && sellWei < minimum) return { kind: 'below-minimum' }
      const fill = filled(
        (side === 'bid' ? sellIntoBids : sellIntoAsks)({ base, quote }, levels, sellWei),
      )
      return side === 'ask' && fill.kind === 'filled' && fill.buyWei < minimum
        ? { kind: 'below-minimum' }
        : fill
    },
    curve: () => levelPieces({ base, quote, side, levels }),
  }
}

/** Levels of whole units of base at prices with up to three decimals. */
export const levelsOf = (
  base: Token,
  levels: readonly (readonly [number, number])[],
): MakerLevel[] =>
  levels.map(([amount, price]) => ({
    amount: BigInt(Math.round(amount * 1_000)) * 10n ** BigInt(base.decimals - 3),
    price: BigInt(Math.round(price * 1_000)) * 10n ** BigInt(priceScale - 3),
  }))
