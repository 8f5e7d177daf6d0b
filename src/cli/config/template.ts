/** What `ballast config init` writes. `FILL IN` marks what only the reader can know. */
export const template = (
  entries: readonly string[],
): string => `# yaml-language-server: $schema=./ballast.schema.json
#
# Everything Ballast may do. What is not listed under policy is refused.
# Secrets never live here: set them in the environment or in .env (QUOTE_API_KEY, WALLET_KEY, RPC_URL).
# 'ballast config check' reads this file and says what is wrong; 'ballast doctor' asks the chain and the service as well.

chain:
  name: ethereum                  # as 'ballast chains' lists it
  chainId: 1
  currency: ETH
  rpcUrl: http://127.0.0.1:8545   # or RPC_URL, which may carry a key
  confirmations: 2                # blocks on top of a receipt before it counts
  blockTime: 12s                  # how long a block takes: nothing is signed on a look older than two of them
  tracing: required               # or unavailable, for a node without debug_traceCall: writes to tokens are then not seen
#  witness:                       # a second node, of another operator, that must agree before a large swap is signed
#    rpcUrl: http://127.0.0.1:8547   # or WITNESS_RPC_URL
#    above: 5000 USDC
#    sends: true                   # it gets signed transactions too; false keeps them from it
#  alsoSendTo: []                  # more endpoints that get signed transactions; or ALSO_SEND_TO, with commas between

service:
  url: http://127.0.0.1:8546      # without /v1; or QUOTE_API_URL
  router: "FILL IN"               # the only contract that is ever called or approved
  routerCodeHash: "FILL IN"       # keccak-256 of its code; fill in 0x and 64 zeros, and 'ballast doctor' prints the real one
  executor: "FILL IN"             # the router's AMM executor
  feeSigner: "FILL IN"            # who signs the service's fee and authorisation
  feeRecipients: []               # who may receive that fee, besides the fee signer
  makers: []                      # makers whose orders are accepted

tokens:
  WETH: { address: "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2", decimals: 18, wrapsNative: true }
  USDC: { address: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48", decimals: 6 }

wallet:
  name: treasury
  address: "FILL IN"
  signer: { kind: environment }   # development only; docs/KEYS.md has keystore, process, web3signer, clef, aws-kms, gcp-kms

quote:
  expiry: 30s                     # how long a firm quote should stay good
  slippage: 10 bps                # how much less than quoted the router may deliver
  timeout: 3s

policy:
  tokens: [WETH, USDC]            # what may be bought and sold
  pairs: [WETH/USDC]              # which of them for which, in either direction
  recipients: []                  # who may receive, besides the wallet itself
  perSwap: [1 WETH, 3000 USDC]    # the most one swap sells; a token without a limit is not sold
  perDay: [5 WETH, 15000 USDC]    # the most that is sold in 24 hours
  notional:                       # limits over all tokens, in one unit of account
    perSwap: 5000 USD
    perHour: 10000 USD
    perDay: 20000 USD
    perStrategy: 20000 USD        # of one strategy in 24 hours
  maxDeviation: 100 bps           # how far a quote may be from any reference
  minReferences: 1                # how many of them must have answered
  maxGasCost: 50 bps              # what gas may cost, of what is sold
  cooldown: 0s                    # between two swaps of one strategy in one pair
  maxSlippage: 50 bps
  maxFee: 10 bps
  maxGasPrice: 100 gwei
  maxGas: 1500000
  minTimeToDeadline: 8s           # a quote must still be good for this long when it is signed
  unit: USD                       # what worth is counted in: USD or a token
  references: []                  # prices that are not the quote's own; without any, nothing is swapped
#    - { kind: feed, pair: WETH/USD, address: "0x…", maxAge: 1h }                  # a Chainlink feed
#    - { kind: pool, pair: WETH/USDC, venue: uniswap-v3, address: "0x…" }          # the middle of three blocks
#    - { kind: order-book, pair: WETH/USDC, url: "https://…", maxAge: 5s }         # of another service
  stablecoins: { USDC: 50 bps }   # how far from one dollar they may be

breakers:                         # when signing stops by itself; 'ballast status' shows why and until when
  maxGasPerDay: 0.1 ETH

# What it does; 'ballast config init --list' names the strategies, 'ballast config init --strategy NAME' fills one in.
${strategies(entries)}

database: sqlite:./ballast.db     # relative to this file; or DATABASE_URL, for PostgreSQL as well
dashboard: { host: 127.0.0.1, port: 8787 }
logLevel: info                    # or LOG_LEVEL
`

const strategies = (entries: readonly string[]): string =>
  entries.length === 0
    ? `strategies: []
#  - name: sell-strength
#    use: threshold               # strategies/threshold.ts
#    params: { sell: 1 WETH, buy: USDC, price: 2950 USDC, every: 5s }`
    : `strategies:\n${entries.join('\n\n')}`
