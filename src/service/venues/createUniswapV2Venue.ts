import { encodeAbiParameters, parseAbi } from 'viem'
import { readContract } from '../../chain/calls/readContract.ts'
import type { Address, Token } from '../../core/token.ts'
import type { Offer, Piece, Venue, VenueFill } from './venue.ts'

const pairAbi = parseAbi([
  'function getReserves() view returns (uint112 reserve0, uint112 reserve1, uint32 blockTimestampLast)',
])

/** The data the executor reads: kind 2, and v2's only fee in hundredths of a basis point. */
const executorData = encodeAbiParameters([{ type: 'uint8' }, { type: 'uint24' }], [2, 3000])
const feeBps = 30

/** Measured on a fork, beside other legs: the order, two transfers, the pair itself. */
const legGas = 100_000n

/** A Uniswap v2 pair, quoted with the pair's own integer formula. */
export function createUniswapV2Venue({
  address,
  tokens: [a, b],
}: {
  address: Address
  tokens: readonly [Token, Token]
}): Venue {
  const id = `univ2:${address}`
  const [token0, token1] = BigInt(a.address) < BigInt(b.address) ? [a, b] : [b, a]
  return {
    id,
    pairs: [[a, b]],
    sharesCalls: true,
    reads: (block) => [
      readContract({ address, abi: pairAbi, functionName: 'getReserves', args: [], block }),
    ],
    at(_block, [answer]) {
      if (answer?.ok !== true) return undefined
      const [reserve0, reserve1] = answer.value as readonly [bigint, bigint, number]
      if (reserve0 === 0n || reserve1 === 0n) return undefined
      const offer = (sell: Token, buy: Token, reserves: Reserves): Offer => ({
        source: id,
        sell,
        buy,
        feeBps,
        fill: (sellWei) => fill(sellWei, reserves),
        curve: () => [pieceOf(reserves)],
        minimum: { sellWei: 0n, buyWei: 0n },
        gas: legGas,
        resource: id,
        settlement: { kind: 'amm', executorData },
      })
      const offers = [
        offer(token0, token1, { sold: reserve0, bought: reserve1 }),
        offer(token1, token0, { sold: reserve1, bought: reserve0 }),
      ]
      return { offers: () => offers, rows: () => [] }
    },
  }
}

type Reserves = { readonly sold: bigint; readonly bought: bigint }

/** A pair keeps its reserves in 112 bits and refuses a swap beyond them. */
const reserveMax = 2n ** 112n - 1n

function pieceOf({ sold, bought }: Reserves): Piece {
  const size = reserveMax - sold
  const curvature = 0.997 / Number(sold)
  return { until: size, size: Number(size), price: Number(bought) * curvature, curvature }
}

/** Rounds down, for the pool, exactly as the executor does on chain. */
function fill(sellWei: bigint, { sold, bought }: Reserves): VenueFill {
  if (sold + sellWei > reserveMax) return { kind: 'exceeds-depth' }
  const input = sellWei * 997n
  const buyWei = (input * bought) / (sold * 1000n + input)
  return buyWei === 0n ? { kind: 'below-minimum' } : { kind: 'filled', buyWei }
}
