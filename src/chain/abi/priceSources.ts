import { parseAbi } from 'viem'

/** What a price is read from. Of a v3 pool's slot only the price: forks of Uniswap differ in the rest. */
export const priceSources = {
  'uniswap-v2': parseAbi([
    'function getReserves() view returns (uint112 reserve0, uint112 reserve1, uint32 blockTimestampLast)',
  ]),
  'uniswap-v3': parseAbi([
    'function slot0() view returns (uint160 sqrtPriceX96)',
    'function liquidity() view returns (uint128)',
  ]),
  /** Either kind of pool. */
  pool: parseAbi([
    'function token0() view returns (address)',
    'function token1() view returns (address)',
  ]),
  /** Chainlink's AggregatorV3. */
  feed: parseAbi([
    'function decimals() view returns (uint8)',
    'function latestRoundData() view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)',
  ]),
} as const
