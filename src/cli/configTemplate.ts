import { ballastForm } from '../config/config.ts'
import { notes } from '../config/file/field.ts'
import { inside } from '../config/file/schemaTree.ts'
import type { Preset } from '../config/presets.ts'
import { createOnChain } from './createOnChain.ts'

/** What `ballast config init` writes. `FILL IN` marks what only the reader can know. */
export function template(entries: readonly string[], preset?: Preset): string {
  const onChain = preset === undefined ? (text: string) => text : createOnChain(preset)
  const named = entries.some((entry) => secondCoin.test(entry)) ? withSecondCoin() : sections
  return `${head}${commented(onChain(named))}${onChain(strategies(entries))}${commented(rest)}`
}

/** What some examples trade besides USDC. */
const secondCoin = /\bDAI\b/

/** The sections with the second stablecoin wherever the first one is, but for its peg: an exit from it may be wanted. */
const withSecondCoin = () =>
  sections
    .replace(/^ {2}USDC: .*$/m, '$&\n  DAI: { address: "FILL IN", decimals: 18 }')
    .replace('tokens: [WETH, USDC]', 'tokens: [WETH, USDC, DAI]')
    .replace('pairs: [WETH/USDC]', 'pairs: [WETH/USDC, DAI/USDC]')
    .replace('3000 USDC]', '3000 USDC, 3000 DAI]')
    .replace('15000 USDC]', '15000 USDC, 15000 DAI]')

const head = `# yaml-language-server: $schema=./ballast.schema.json
#
# Everything Ballast may do. What is not listed under policy is refused.
# Secrets never live here: set them in the environment or in .env (QUOTE_API_KEY, WALLET_KEY, RPC_URL).
# 'ballast config check' reads this file and says what is wrong; 'ballast doctor' asks the chain and the service as well.

`

const sections = `chain:
  name: ethereum
  chainId: 1
  currency: ETH
  rpcUrl: http://127.0.0.1:8545
  confirmations: 2
  blockTime: 12s
  tracing: required
  witness:
    rpcUrl: http://127.0.0.1:8547
    above: 5000 USD
    sends: true
#  fallbackUrls: []
#  alsoSendTo: []
#  sendTo: []
#  publicAfter: 20s

service:
  url: http://127.0.0.1:8546
  router: "FILL IN"
  routerCodeHash: "FILL IN"
  executor: "FILL IN"
  feeSigner: "FILL IN"
  feeRecipients: []
  makers: []

tokens:
  WETH: { address: "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2", decimals: 18, wrapsNative: true }
  USDC: { address: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48", decimals: 6 }

wallet:
  name: treasury
  address: "FILL IN"
  signer: { kind: environment }

quote:
  expiry: 30s
  slippage: 10 bps
  timeout: 3s

policy:
  tokens: [WETH, USDC]
  pairs: [WETH/USDC]
  recipients: []
  perSwap: [1 WETH, 3000 USDC]
  perDay: [5 WETH, 15000 USDC]
  notional:
    perSwap: 5000 USD
    perHour: 10000 USD
    perDay: 20000 USD
    perStrategy: 20000 USD
  maxDeviation: 100 bps
  minReferences: 1
  maxGasCost: 50 bps
  cooldown: 0s
  maxSlippage: 50 bps
  maxFee: 10 bps
  maxGasPrice: 100 gwei
  maxGas: 1500000
  minTimeToDeadline: 8s
  unit: USD
  references: []
#    - { kind: feed, pair: WETH/USD, address: "0x…", maxAge: 1h }                  # a Chainlink feed
#    - { kind: pool, pair: WETH/USDC, venue: uniswap-v3, address: "0x…" }          # the middle of three blocks
#    - { kind: order-book, pair: WETH/USDC, url: "https://…", maxAge: 5s }         # of another service
  stablecoins: { USDC: 50 bps }

breakers:
  maxGasPerDay: 0.1 ETH

# What it does; 'ballast config init --list' names the strategies, 'ballast config init --strategy NAME' fills one in.
`

const rest = `

database: sqlite:./ballast.db
dashboard: { host: 127.0.0.1, port: 8787 }
logLevel: info
`

/** Where the comments begin, unless a line is longer. */
const commentColumn = 34

/** The documentation of each key behind its line, whether the line is commented out or not. */
function commented(yaml: string): string {
  const path: { readonly indent: number; readonly name: string }[] = []
  const lines = yaml.split('\n').map((line) => {
    const [, indent = '', name] = /^#?( *)(\w+):/.exec(line) ?? []
    if (name === undefined) return line
    while ((path.at(-1)?.indent ?? -1) >= indent.length) path.pop()
    path.push({ indent: indent.length, name })
    const comment = commentOn(path.map((step) => step.name))
    return comment === undefined ? line : `${line.padEnd(commentColumn - 1)} # ${comment}`
  })
  return lines.join('\n')
}

/** A longer text would not be read there: then its first sentence. */
const commentMax = 100

function commentOn(path: readonly string[]): string | undefined {
  let schema: Parameters<typeof inside>[0] | undefined = ballastForm
  for (const step of path) schema = schema && inside(schema, step)
  const { doc, variables = [] } = (schema && notes.get(schema)) ?? {}
  if (doc === undefined) return undefined
  const text = doc.length > commentMax ? doc.replace(/(?<=\.) .*$/, '') : doc
  return variables.length === 0 ? text : `${text} Or ${variables.at(-1)}.`
}

const strategies = (entries: readonly string[]): string =>
  entries.length === 0
    ? `strategies: []
#  - name: sell-strength
#    use: threshold               # strategies/threshold.ts
#    params: { sell: 1 WETH, buy: USDC, price: 2950 USDC, every: 5s }`
    : `strategies:\n${entries.join('\n\n')}`
