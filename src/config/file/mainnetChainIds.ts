/** Chains whose money is real. A plain key in the environment is refused there; unknown chains are judged by the quoting service's `isMainnet`. */
export const mainnetChainIds: ReadonlySet<number> = new Set([
  1, // Ethereum
  10, // Optimism
  25, // Cronos
  56, // BNB Smart Chain
  100, // Gnosis
  137, // Polygon
  143, // Monad
  146, // Sonic
  169, // Manta Pacific
  196, // X Layer
  250, // Fantom
  324, // ZKsync Era
  480, // World Chain
  999, // HyperEVM
  1101, // Polygon zkEVM
  1284, // Moonbeam
  2818, // Morph
  5000, // Mantle
  7000, // ZetaChain
  8453, // Base
  34443, // Mode
  42161, // Arbitrum One
  42170, // Arbitrum Nova
  42220, // Celo
  43114, // Avalanche
  48900, // Zircuit
  57073, // Ink
  59144, // Linea
  80094, // Berachain
  81457, // Blast
  130, // Unichain
  534352, // Scroll
  810180, // zkLink Nova
])
