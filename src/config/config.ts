import type { Amount } from '../core/amount.ts'
import type { Secret } from '../core/secret.ts'
import type { Address, Token } from '../core/token.ts'

/** The one frozen configuration of a process: `ballast.yaml` and the environment, checked. */
export type Config = {
  /** Path of the file it came from. */
  readonly file: string
  /** `ballast.yaml:12:5` of a key, for messages about it. */
  readonly locate: (path: readonly (string | number)[]) => string
  readonly chain: ChainConfig
  readonly service: ServiceConfig
  readonly tokens: Tokens
  readonly wallet: WalletConfig
  readonly quote: QuoteConfig
  readonly policy: PolicyConfig
  readonly breakers: BreakersConfig
  readonly strategies: readonly StrategyConfig[]
  readonly database: { readonly dialect: 'sqlite'; readonly path: string }
  /** A file whose existence halts. */
  readonly haltFile: string
  readonly dashboard: { readonly host: string; readonly port: number }
  readonly logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'
}

export type ChainConfig = {
  /** The name the quoting service gives it (`chain` of `GET /v1/chains`). */
  readonly name: string
  readonly chainId: number
  /** May carry a key. */
  readonly rpcUrl: Secret
  /** Blocks on top of a receipt before it counts. */
  readonly confirmations: number
}

export type ServiceConfig = {
  /** May carry a key. Without the `/v1`. */
  readonly url: Secret
  readonly apiKey: Secret | undefined
  /** The only contract a swap may call, and the only one that may be approved. */
  readonly router: Address
  /** keccak-256 of the router's code. */
  readonly routerCodeHash: `0x${string}`
  /** The router's AMM executor: buyer of AMM legs. */
  readonly executor: Address
  readonly feeSigner: Address
  /** Makers whose orders are accepted. */
  readonly makers: readonly Address[]
}

/** Tokens by symbol; the chain's own currency among them. */
export type Tokens = {
  readonly bySymbol: ReadonlyMap<string, Token>
  readonly native: Token
  /** The ERC-20 that wraps the chain's own currency. */
  readonly wrapped: Token
}

export type WalletConfig = {
  readonly name: string
  readonly address: Address
  /** Plain development key from the environment; undefined where a dry run needs none. */
  readonly key: Secret | undefined
}

export type QuoteConfig = {
  readonly expirySeconds: number
  readonly slippageBps: number
  readonly timeoutMs: number
}

/** Default deny: what is not listed is refused. */
export type PolicyConfig = {
  readonly tokens: readonly Token[]
  /** Who may receive, besides the wallet itself. */
  readonly recipients: readonly Address[]
  /** The most one swap may sell, per token; a token without a cap is not sold. */
  readonly perSwap: readonly Amount[]
  /** The most that may be sold in 24 hours, per token; undecided swaps count as sold. */
  readonly perDay: readonly Amount[]
  readonly slippageBpsMax: number
  readonly feeBpsMax: number
  /** Wei per gas. */
  readonly gasPriceMax: bigint
  readonly gasMax: bigint
  /** A quote must be good for at least this long when it is signed. */
  readonly timeToDeadlineSecondsMin: number
}

/** When signing stops by itself, and for how long. Durations in milliseconds. */
export type BreakersConfig = {
  readonly refusals: { readonly count: number; readonly lockMs: number }
  readonly failures: { readonly count: number; readonly lockMs: number }
  readonly priceJump: { readonly bps: number; readonly withinMs: number; readonly lockMs: number }
  readonly witness: { readonly lockMs: number }
  readonly clock: { readonly aheadMs: number; readonly serviceMs: number; readonly lockMs: number }
  /** Wei; undefined for no limit. */
  readonly gasPerDayMax: bigint | undefined
}

export type StrategyConfig = {
  /** Unique; the journal and the reports know the strategy by it. */
  readonly name: string
  /** File name in `strategies/`, without `.ts`. */
  readonly use: string
  /** Raw YAML, read by the strategy's own schema. */
  readonly params: unknown
  /** Path of `params` in the file, for {@link Config.locate}. */
  readonly path: readonly (string | number)[]
}
