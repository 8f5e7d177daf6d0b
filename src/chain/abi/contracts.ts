import { parseAbi } from 'viem'

/** ERC-20 as far as anything here calls it. `approve` without a result: USDT returns none. */
export const erc20Abi = parseAbi([
  'function balanceOf(address owner) view returns (uint256)',
  'function allowance(address owner, address spender) view returns (uint256)',
  'function totalSupply() view returns (uint256)',
  'function decimals() view returns (uint8)',
  'function symbol() view returns (string)',
  'function approve(address spender, uint256 amount)',
  'function transfer(address to, uint256 amount)',
  'event Transfer(address indexed from, address indexed to, uint256 amount)',
  'event Approval(address indexed owner, address indexed spender, uint256 amount)',
])

/** Multicall3's one function that matters: many reads in one call, each of which may fail alone. */
export const multicall3Abi = parseAbi([
  'struct Call3 { address target; bool allowFailure; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3(Call3[] calls) payable returns (Result[] returnData)',
])

/** The sources of a price. Of a v3 pool's slot only the price: forks of Uniswap differ in the rest. */
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
    'function description() view returns (string)',
    'function latestRoundData() view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)',
  ]),
} as const

/** The factories of an executor, and what it calls of them. */
export const factoriesAbi = parseAbi([
  'function v2Factory() view returns (address)',
  'function v3Factory() view returns (address)',
  'function getPair(address, address) view returns (address)',
  'function getPool(address, address, uint24) view returns (address)',
])

/** The reads of a v3 pool that its swaps depend on. */
export const uniswapV3PoolAbi = parseAbi([
  'function slot0() view returns (uint160 sqrtPriceX96, int24 tick, uint16 observationIndex, uint16 observationCardinality, uint16 observationCardinalityNext, uint8 feeProtocol, bool unlocked)',
  'function liquidity() view returns (uint128)',
  'function fee() view returns (uint24)',
  'function tickSpacing() view returns (int24)',
  'function tickBitmap(int16 wordPosition) view returns (uint256)',
  'function ticks(int24 tick) view returns (uint128 liquidityGross, int128 liquidityNet, uint256 feeGrowthOutside0X128, uint256 feeGrowthOutside1X128, int56 tickCumulativeOutside, uint160 secondsPerLiquidityOutsideX128, uint32 secondsOutside, bool initialized)',
])
