import { join } from 'node:path'
import type { Block } from '../chain/calls/node.ts'
import { assert } from '../core/assert.ts'
import { formatDecimal, parseDecimal } from '../core/decimal.ts'
import type { Token } from '../core/token.ts'
import type { LevelBook } from '../service/makers/book.ts'
import { fixedBook } from '../service/makers/fixedBook.ts'
import { followBook } from '../service/makers/followBook.ts'
import { accountsOf } from './accounts.ts'
import type { Prices } from './createPrices.ts'
import type { Deployment, ReadyDocument } from './readyDocument.ts'
import { replaceFile } from './replaceFile.ts'
import type { SandboxWorld } from './world.ts'

/** What a written configuration trades, and how much of it in a day. */
export type Example = {
  /** The section of that name, as YAML. */
  readonly strategies: string
  /** The most of each token that a day may sell, as units of the native currency. */
  readonly perDay: string
}

/** Begins every written configuration: what begins otherwise is somebody's own. */
export const configHead = '# Written by the sandbox at every start. Copy it to change it.\n'

/** Writes `ballast.yaml` and `.env`, so that a bot can trade in this market at once. */
export function writeConfig({
  dataDir,
  world,
  deployment,
  ready,
  witnessUrl,
  example = { strategies: strategiesOf(world), perDay: '200' },
}: {
  dataDir: string
  world: SandboxWorld
  deployment: Deployment
  ready: ReadyDocument
  /** A second endpoint. Without it bands stand in its place: live money needs one of them. */
  witnessUrl?: string
  example?: Example | undefined
}): void {
  const yaml = yamlOf({ world, deployment, ready, witnessUrl, example })
  replaceFile(join(dataDir, 'ballast.yaml'), yaml)
  const env = [
    `WALLET_KEY=${ready.wallets.treasury?.privateKey ?? ''}`,
    ...(ready.apiKey === '' ? [] : [`QUOTE_API_KEY=${ready.apiKey}`]),
  ]
  replaceFile(join(dataDir, '.env'), `${env.join('\n')}\n`, 0o600)
}

function yamlOf({
  world,
  deployment,
  ready,
  witnessUrl,
  example,
}: {
  world: SandboxWorld
  deployment: Deployment
  ready: ReadyDocument
  witnessUrl: string | undefined
  example: Example
}): string {
  const { chain, tokens, service } = world
  const makers = Object.values(ready.makers).map(({ address }) => `"${address}"`)
  const caps = capsOf(world)
  // The chain's own currency comes with the token that wraps it.
  const symbols = caps.map(({ symbol }) => symbol).filter((symbol) => symbol !== chain.token)
  const pairs = symbols.flatMap((a, index) => symbols.slice(index + 1).map((b) => `${a}/${b}`))
  return `${configHead}chain: { name: ${chain.name}, chainId: ${chain.chainId}, currency: ${chain.token}, rpcUrl: ${ready.rpcUrl}, confirmations: 2${witnessUrl === undefined ? '' : `, witness: { rpcUrl: "${witnessUrl}", above: 5000 USD, sends: false }`} }
service:
  url: ${ready.serviceUrl}
  router: "${ready.router}"
  routerCodeHash: "${deployment.routerCodeHash}"
  executor: "${ready.executor}"
  feeSigner: "${ready.feeSigner.address}"
  feeRecipients: ["${accountsOf(world).feeRecipient.account.address}"]
  makers: [${makers.join(', ')}]
tokens:
${Object.entries(ready.tokens)
  .map(
    ([symbol, { address, decimals }]) =>
      `  ${symbol}: { address: "${address}", decimals: ${decimals}${tokens[symbol]?.wrapsNative ? ', wrapsNative: true' : ''} }`,
  )
  .join('\n')}
wallet: { name: treasury, address: "${ready.wallets.treasury?.address}" }
quote: { expiry: ${Math.min(30, service.maxExpirySeconds)}s, slippage: 10 bps, timeout: 3s }
policy:
  tokens: [${caps.map(({ symbol }) => symbol).join(', ')}]
  pairs: [${pairs.join(', ')}]
  recipients: []
  perSwap: [${caps.map(({ symbol, of }) => `${of('5')} ${symbol}`).join(', ')}]
  perDay: [${caps.map(({ symbol, of }) => `${of(example.perDay)} ${symbol}`).join(', ')}]
${permitsOf(world)}  notional: { perSwap: 100000 USD, perHour: 2000000 USD, perDay: 10000000 USD, perStrategy: 5000000 USD }
  maxDeviation: 150 bps
  maxGasCost: 200 bps
  maxSlippage: 50 bps
  maxFee: 10 bps
  maxGasPrice: 200 gwei
  maxGas: "1500000"
  minTimeToDeadline: 8s
  unit: USD
  references:${referencesOf({ world, deployment })}
  stablecoins: { ${Object.keys(tokens)
    .filter((symbol) => tokens[symbol]?.isDollar)
    .map((symbol) => `${symbol}: 100 bps`)
    .join(', ')} }
${witnessUrl === undefined ? `${bandsOf(world)}\n` : ''}${example.strategies}
database: sqlite:./ballast.db
stateFolder: ./state
dashboard: { host: 127.0.0.1, port: 8787 }
logLevel: warn
`
}

/** Tokens whose swaps bring their allowance along; a line of its own, or none. */
function permitsOf({ tokens }: SandboxWorld): string {
  const symbols = Object.keys(tokens).filter((symbol) => tokens[symbol]?.behaves === 'permit')
  return symbols.length === 0 ? '' : `  permits: [${symbols.join(', ')}]\n`
}

/** Older than any sandbox lets a feed become, so that nothing is stale in a market that stands still. */
const feedAge = '24h'

/** Everything in the world that knows a price besides the quoting service. */
function referencesOf({
  world,
  deployment,
}: {
  world: SandboxWorld
  deployment: Deployment
}): string {
  const lines = [
    ...Object.entries(deployment.feeds).map(
      ([symbol, address]) =>
        `    - { kind: feed, pair: ${symbol}/USD, address: "${address}", maxAge: ${feedAge} }`,
    ),
    ...world.pools.map(
      ({ kind, tokens: [a, b] }, index) =>
        `    - { kind: pool, pair: ${a}/${b}, venue: ${kind}, address: "${deployment.pools[index]}" }`,
    ),
  ]
  return lines.length === 0 ? ' []' : `\n${lines.join('\n')}`
}

/** Limits of one size in every token: the worth of a number of units of the native currency. */
type Cap = { readonly symbol: string; of(native: string): string }

function capsOf(world: SandboxWorld): readonly Cap[] {
  const wrapped = Object.keys(world.tokens).find((symbol) => world.tokens[symbol]?.wrapsNative)
  const one = (symbol: string): Cap => ({ symbol, of: (native) => native })
  const others = Object.entries(world.tokens).flatMap(([symbol, { decimals, behaves }]): Cap[] => {
    if (symbol === wrapped || !(behaves === 'plain' || behaves === 'permit')) return []
    const worth = wrapped === undefined ? undefined : startPrice(world, wrapped, symbol)
    if (worth === undefined) return []
    const digits = Math.min(decimals, worth < 1 ? 6 : 0)
    return [{ symbol, of: (native) => (Number(native) * worth).toFixed(digits) }]
  })
  return [one(world.chain.token), ...(wrapped === undefined ? [] : [one(wrapped)]), ...others]
}

/** Units of `quote` for one `base` when the world starts; undefined where the world states none. For limits only. */
function startPrice(world: SandboxWorld, base: string, quote: string): number | undefined {
  for (const { tokens, reserves } of pairsOf(world)) {
    const [a, b] = [Number(reserves[0]), Number(reserves[1])]
    if (tokens[0] === base && tokens[1] === quote) return b / a
    if (tokens[1] === base && tokens[0] === quote) return a / b
  }
  const worth = (symbol: string) => {
    const start = world.prices?.model[symbol]?.start
    if (start !== undefined) return Number(start)
    return world.tokens[symbol]?.isDollar ? 1 : undefined
  }
  const [of, per] = [worth(base), worth(quote)]
  return of === undefined || per === undefined ? undefined : of / per
}

/** Pools whose reserves give a price. */
const pairsOf = ({ pools }: SandboxWorld) => pools.filter((pool) => pool.kind === 'uniswap-v2')

/** A tenth to ten times the worth at the start: a market that moves stays inside, a lie by decimals does not. */
function bandsOf(world: SandboxWorld): string {
  const bands = [...dollarsOf(world)].map(
    ([symbol, worth]) =>
      `${symbol}: { min: ${(worth / 10).toFixed(6)} USD, max: ${(worth * 10).toFixed(6)} USD }`,
  )
  return `  bands: { ${bands.join(', ')} }`
}

/** Two examples in the first pool's pair: sell a strong price, and buy on a schedule. */
function strategiesOf(world: SandboxWorld): string {
  const pool = pairsOf(world)[0]
  if (pool === undefined) return 'strategies: []'
  const [base, quote] = pool.tokens
  const { decimals = 18 } = world.tokens[quote] ?? {}
  const [baseReserve, quoteReserve] = pool.reserves.map((text) => parseDecimal(text, 18))
  // Just below the price at the start, so that a demonstration has something to show.
  const threshold =
    ((quoteReserve ?? 0n) * 59n * 10n ** BigInt(decimals)) / ((baseReserve ?? 1n) * 60n)
  const name =
    quote.toLowerCase() === 'usdc' ? base.toLowerCase() : `${base}-${quote}`.toLowerCase()
  return `strategies:
  - name: sell-strength
    use: threshold
    params: { sell: 1 ${base}, buy: ${quote}, price: ${formatDecimal(threshold, decimals)} ${quote}, every: 5s }
  - name: dca-${name}
    use: dca
    params: { sell: 500 ${quote}, buy: ${base}, cron: "* * * * *", timeZone: Europe/Berlin, tolerance: 50 bps }`
}

/** The tokens of a deployed world. */
export function tokensOf(world: SandboxWorld, deployment: Deployment): readonly Token[] {
  return Object.entries(world.tokens).map(([symbol, { decimals }]) => {
    const address = deployment.tokens[symbol]
    assert(address !== undefined, 'each token was deployed')
    return { chainId: world.chain.chainId, address, symbol, decimals }
  })
}

/**
 * The worth of one of each token in US dollars when a world starts. A token the world does not price is left out.
 *
 * Where prices move, they give it. Elsewhere a pool carries the worth of one of its tokens to the other, from the
 * tokens that are dollars by definition. In doubles: the start of a sandbox is no real money.
 */
export function dollarsOf(world: SandboxWorld): ReadonlyMap<string, number> {
  const { prices, tokens, pools } = world
  if (prices !== undefined)
    return new Map(
      Object.keys(tokens).map((symbol) => [symbol, Number(prices.model[symbol]?.start ?? 1)]),
    )
  const worth = new Map(
    Object.entries(tokens).flatMap(([symbol, { isDollar }]) => (isDollar ? [[symbol, 1]] : [])),
  )
  // Each round carries prices one pool further.
  for (const _ of pools)
    for (const pool of pools) {
      if (pool.kind !== 'uniswap-v2') continue
      const [a, b] = pool.tokens
      const [reserveA, reserveB] = pool.reserves.map(Number) as [number, number]
      const [worthA, worthB] = [worth.get(a), worth.get(b)]
      if (worthA === undefined && worthB !== undefined) worth.set(a, (worthB * reserveB) / reserveA)
      if (worthB === undefined && worthA !== undefined) worth.set(b, (worthA * reserveA) / reserveB)
    }
  return worth
}

/** The books of one maker of a deployed world. */
export function booksOf(
  { books }: SandboxWorld['makers'][number],
  {
    tokens,
    prices,
    deployment,
  }: { tokens: readonly Token[]; prices: Prices | undefined; deployment: Deployment },
): readonly LevelBook[] {
  const token = (symbol: string): Token => {
    const found = tokens.find((each) => each.symbol === symbol)
    assert(found !== undefined, 'the world file names only its own tokens')
    return found
  }
  return books.map(({ pair, minimumInBase, ...rest }) => {
    const [base, quote] = [token(pair[0]), token(pair[1])]
    if (!('follow' in rest)) return fixedBook({ base, quote, minimumInBase, ...rest })
    const priceAt = ({ number }: Block) => {
      const values = prices?.at(number - deployment.block)
      return values && (values.get(base.symbol) ?? 1) / (values.get(quote.symbol) ?? 1)
    }
    return followBook({ base, quote, minimumInBase, follow: rest.follow, priceAt })
  })
}
