import type { Address } from '../core/token.ts'

/** The facts of a chain that a configuration needs, each with where it was read. Nothing relies on one: doctor asks the chain. */
export type Preset = {
  /** As `config init --chain` and `chain.name` call it. */
  readonly name: string
  readonly chainId: number
  readonly currency: string
  readonly blockTime: string
  /** How long the chain takes at most to call a block `finalized`; absent where its documentation does not say. */
  readonly finalizedSeconds?: number
  readonly explorer: string
  /** Limits of gas where those of Ethereum would let no transaction be mined. */
  readonly gas?: { readonly price: string; readonly tip: string; readonly perDay: string }
  /** The token that wraps the chain's own currency; 18 decimals everywhere. */
  readonly wrapped: { readonly symbol: string; readonly address: Address }
  /** The first is the one that the examples of a new file trade against. */
  readonly stablecoins: readonly {
    readonly symbol: string
    readonly address: Address
    readonly decimals: number
  }[]
  /** Chainlink's, in US dollars; `is` is what the contract calls itself. A heartbeat that is not known is absent. */
  readonly feeds: readonly {
    readonly symbol: string
    readonly address: Address
    readonly is: string
    readonly heartbeatSeconds?: number
  }[]
}

/**
 * Read on 2026-11-23. Tokens, decimals and feeds: the npm package @aave-dao/aave-address-book 4.68.1, which is generated from
 * the chains and from Chainlink's directory. Ids, currencies, block times and explorers: viem/chains of the pinned viem.
 * Multicall3 is at `multicall3Address` on each of them. Finality: docs.polygon.technology/pos/concepts/finality (2 to 5 s),
 * docs.bnbchain.org (3.75 s), docs.optimism.io/op-stack/transactions/transaction-finality (20 to 30 minutes), and two to three
 * epochs of Ethereum.
 */
export const presets: readonly Preset[] = [
  {
    ...{ name: 'ethereum', chainId: 1, currency: 'ETH', blockTime: '12s' },
    finalizedSeconds: 1_200,
    explorer: 'https://etherscan.io',
    wrapped: { symbol: 'WETH', address: '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2' },
    stablecoins: [
      { symbol: 'USDC', address: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', decimals: 6 },
      { symbol: 'USDT', address: '0xdAC17F958D2ee523a2206206994597C13D831ec7', decimals: 6 },
    ],
    feeds: [
      {
        symbol: 'WETH',
        address: '0x5f4eC3Df9cbd43714FE2740f5E3616155c5b8419',
        is: 'ETH / USD',
        heartbeatSeconds: 3_600,
      },
      {
        symbol: 'USDC',
        address: '0x8fFfFfd4AfB6115b954Bd326cbe7B4BA576818f6',
        is: 'USDC / USD',
        heartbeatSeconds: 86_400,
      },
      {
        symbol: 'USDT',
        address: '0x3E7d1eAB13ad0104d2750B8863b489D65364e32D',
        is: 'USDT / USD',
        heartbeatSeconds: 86_400,
      },
    ],
  },
  {
    ...{ name: 'base', chainId: 8453, currency: 'ETH', blockTime: '2s' },
    finalizedSeconds: 1_800,
    explorer: 'https://basescan.org',
    wrapped: { symbol: 'WETH', address: '0x4200000000000000000000000000000000000006' },
    stablecoins: [
      { symbol: 'USDC', address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', decimals: 6 },
    ],
    feeds: [
      { symbol: 'WETH', address: '0x71041dddad3595F9CEd3DcCFBe3D1F4b0a16Bb70', is: 'ETH / USD' },
      { symbol: 'USDC', address: '0x7e860098F58bBFC8648a4311b374B1D669a2bc6B', is: 'USDC / USD' },
    ],
  },
  {
    ...{ name: 'arbitrum', chainId: 42161, currency: 'ETH', blockTime: '250ms' },
    explorer: 'https://arbiscan.io',
    wrapped: { symbol: 'WETH', address: '0x82aF49447D8a07e3bd95BD0d56f35241523fBab1' },
    stablecoins: [
      { symbol: 'USDC', address: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831', decimals: 6 },
      { symbol: 'USDT', address: '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9', decimals: 6 },
    ],
    feeds: [
      { symbol: 'WETH', address: '0x639Fe6ab55C921f74e7fac1ee960C0B6293ba612', is: 'ETH / USD' },
      { symbol: 'USDC', address: '0x50834F3163758fcC1Df9973b6e91f0F0F0434aD3', is: 'USDC / USD' },
      { symbol: 'USDT', address: '0x3f3f5dF88dC9F13eac63DF89EC16ef6e7E25DdE7', is: 'USDT / USD' },
    ],
  },
  {
    ...{ name: 'optimism', chainId: 10, currency: 'ETH', blockTime: '2s' },
    finalizedSeconds: 1_800,
    explorer: 'https://optimistic.etherscan.io',
    wrapped: { symbol: 'WETH', address: '0x4200000000000000000000000000000000000006' },
    stablecoins: [
      { symbol: 'USDC', address: '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85', decimals: 6 },
      { symbol: 'USDT', address: '0x94b008aA00579c1307B0EF2c499aD98a8ce58e58', decimals: 6 },
    ],
    feeds: [
      { symbol: 'WETH', address: '0x13e3Ee699D1909E989722E753853AE30b17e08c5', is: 'ETH / USD' },
      { symbol: 'USDC', address: '0x16a9FA2FDa030272Ce99B29CF780dFA30361E0f3', is: 'USDC / USD' },
      { symbol: 'USDT', address: '0xECef79E109e997bCA29c1c0897ec9d7b03647F5E', is: 'USDT / USD' },
    ],
  },
  {
    // Polygon's feed of its coin is listed under the coin's old name.
    ...{ name: 'polygon', chainId: 137, currency: 'POL', blockTime: '2s' },
    finalizedSeconds: 5,
    explorer: 'https://polygonscan.com',
    // Validators take no tip below 25 gwei.
    gas: { price: '500 gwei', tip: '60 gwei', perDay: '20 POL' },
    wrapped: { symbol: 'WPOL', address: '0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270' },
    stablecoins: [
      { symbol: 'USDC', address: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359', decimals: 6 },
      { symbol: 'USDT', address: '0xc2132D05D31c914a87C6611C10748AEb04B58e8F', decimals: 6 },
    ],
    feeds: [
      { symbol: 'WPOL', address: '0xAB594600376Ec9fD91F8e885dADF0CE036862dE0', is: 'MATIC / USD' },
      { symbol: 'USDC', address: '0xfE4A8cc5b5B2366C1B58Bea3858e81843581b2F7', is: 'USDC / USD' },
      { symbol: 'USDT', address: '0x0A6513e40db6EB1b165753AD52E80663aeA50545', is: 'USDT / USD' },
    ],
  },
  {
    ...{ name: 'bsc', chainId: 56, currency: 'BNB', blockTime: '750ms' },
    finalizedSeconds: 4,
    explorer: 'https://bscscan.com',
    wrapped: { symbol: 'WBNB', address: '0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c' },
    stablecoins: [
      { symbol: 'USDC', address: '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d', decimals: 18 },
      { symbol: 'USDT', address: '0x55d398326f99059fF775485246999027B3197955', decimals: 18 },
    ],
    feeds: [
      { symbol: 'WBNB', address: '0x0567F2323251f0Aab15c8dFb1967E4e8A7D42aeE', is: 'BNB / USD' },
      { symbol: 'USDC', address: '0x51597f405303C4377E36123cBc172b13269EA163', is: 'USDC / USD' },
      { symbol: 'USDT', address: '0xB97Ad0E74fa7d920791E90258A6E2085088b4320', is: 'USDT / USD' },
    ],
  },
  {
    ...{ name: 'avalanche', chainId: 43114, currency: 'AVAX', blockTime: '1700ms' },
    explorer: 'https://snowscan.xyz',
    wrapped: { symbol: 'WAVAX', address: '0xB31f66AA3C1e785363F0875A1B74E27b85FD66c7' },
    stablecoins: [
      { symbol: 'USDC', address: '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E', decimals: 6 },
      { symbol: 'USDT', address: '0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7', decimals: 6 },
    ],
    feeds: [
      { symbol: 'WAVAX', address: '0x0A77230d17318075983913bC2145DB16C7366156', is: 'AVAX / USD' },
      { symbol: 'USDC', address: '0xF096872672F44d6EBA71458D74fe67F9a77a23B9', is: 'USDC / USD' },
      { symbol: 'USDT', address: '0xEBE676ee90Fe1112671f19b6B7459bC678B67e8a', is: 'USDT / USD' },
    ],
  },
  {
    // Its coin has no feed of its own name.
    ...{ name: 'gnosis', chainId: 100, currency: 'XDAI', blockTime: '5s' },
    explorer: 'https://gnosisscan.io',
    wrapped: { symbol: 'WXDAI', address: '0xe91D153E0b41518A2Ce8Dd3D7944Fa863463a97d' },
    stablecoins: [
      { symbol: 'USDC.e', address: '0x2a22f9c3b484c3629090FeED35F17Ff8F88f76F0', decimals: 6 },
    ],
    feeds: [
      { symbol: 'USDC.e', address: '0x26C31ac71010aF62E6B486D1132E266D6298857D', is: 'USDC / USD' },
    ],
  },
]
