import type { Amount } from '../core/amount.ts'
import type { Secret } from '../core/secret.ts'
import type { Address, Token } from '../core/token.ts'

/** The one frozen configuration of a process: `ballast.yaml` and the environment, checked. */
export type Config = {
  /** Path of the file it came from. */
  readonly file: string
  /**
   * SHA-256 of all it says, variables and defaults included, without secrets: what stamps a decision. The same values
   * in other words, order or comments have the same.
   */
  readonly hash: string
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
  readonly database: DatabaseConfig
  /** A file whose existence halts. */
  readonly haltFile: string
  readonly dashboard: { readonly host: string; readonly port: number }
  readonly logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'
}

/** Where the journal is. The address of a server carries its password. */
export type DatabaseConfig =
  | { readonly dialect: 'sqlite'; readonly path: string }
  | { readonly dialect: 'postgres'; readonly url: Secret }

export type ChainConfig = {
  /** The name the quoting service gives it (`chain` of `GET /v1/chains`). */
  readonly name: string
  readonly chainId: number
  /** May carry a key. */
  readonly rpcUrl: Secret
  /** Blocks on top of a receipt before it counts. */
  readonly confirmations: number
  /** How long a block takes, milliseconds: what is old, and what may still be signed, is counted in blocks. */
  readonly blockTimeMs: number
  /** Whether a swap's storage writes are looked at; `unavailable` gives that up for a node that cannot trace. */
  readonly tracing: 'required' | 'unavailable'
  /** A second endpoint, of another operator, that must agree before a large swap is signed. */
  readonly witness: WitnessConfig | undefined
  /** Endpoints that get signed bytes as well, and are asked nothing else. They may carry keys. */
  readonly alsoSendTo: readonly Secret[]
}

export type WitnessConfig = {
  /** May carry a key. */
  readonly rpcUrl: Secret
  /** From this worth on; a swap whose worth is unknown, or known in another unit, is always witnessed. */
  readonly above: Amount
  /** Whether it gets signed bytes too. */
  readonly sends: boolean
}

export type ServiceConfig = {
  /** May carry a key. Without the `/v1`. */
  readonly url: Secret
  readonly apiKey: Secret | undefined
  /** The only contract a swap may call, and the only one that may be approved. */
  readonly router: Address
  /** keccak-256 of the router's code. */
  readonly routerCodeHash: `0x${string}`
  /** How much of a quote can be read, and so what must be known to accept one. */
  readonly profile: BallastProfile | OpaqueProfile
}

/** This project's router: every byte of a quote is decoded. */
export type BallastProfile = {
  readonly kind: 'ballast'
  /** The router's AMM executor: buyer of AMM legs. */
  readonly executor: Address
  readonly feeSigner: Address
  /** Who may receive the service's fee, besides the fee signer. */
  readonly feeRecipients: readonly Address[]
  /** Makers whose orders are accepted. */
  readonly makers: readonly Address[]
}

/** A foreign router on the same API: its calldata is not understood, so only what it does in a simulation counts. */
export type OpaqueProfile = {
  readonly kind: 'opaque'
  /** Functions that may be called, 4 bytes each. */
  readonly selectors: readonly `0x${string}`[]
  /** The most one swap may be worth, in the policy's unit of account. */
  readonly notionalMax: Amount
}

/** Tokens by symbol; the chain's own currency among them. */
export type Tokens = {
  readonly bySymbol: ReadonlyMap<string, Token>
  readonly native: Token
  /** The ERC-20 that wraps the chain's own currency. */
  readonly wrapped: Token
  /** Tokens whose storage cannot be read off: their writes are not looked at. */
  readonly untraced: readonly Token[]
}

export type WalletConfig = {
  readonly name: string
  readonly address: Address
  /** Plain development key from the environment; undefined where a dry run needs none, and beside any other signer. */
  readonly key: Secret | undefined
  readonly signer: SignerConfig
}

/** Who holds the wallet's key. Paths are absolute. */
export type SignerConfig =
  | { readonly kind: 'environment' }
  | {
      readonly kind: 'keystore'
      readonly file: string
      /** WALLET_PASSWORD_FILE; undefined where a dry run needs none. */
      readonly passwordFile: string | undefined
    }
  | { readonly kind: 'process'; readonly socket: string }
  | { readonly kind: 'web3signer' | 'clef'; readonly url: Secret }
  | {
      readonly kind: 'aws-kms'
      readonly keyId: string
      readonly region: string
      readonly endpoint: Secret | undefined
    }
  | { readonly kind: 'gcp-kms'; readonly keyName: string; readonly endpoint: Secret | undefined }

export type QuoteConfig = {
  readonly expirySeconds: number
  readonly slippageBps: number
  readonly timeoutMs: number
}

/** Default deny: what is not listed is refused. */
export type PolicyConfig = {
  readonly tokens: readonly Token[]
  /** Swapped for each other in either direction; the chain's own currency counts as the token that wraps it. */
  readonly pairs: readonly (readonly [Token, Token])[]
  /** Who may receive, besides the wallet itself. */
  readonly recipients: readonly Address[]
  /** The most one swap may sell, per token; a token without a cap is not sold. */
  readonly perSwap: readonly Amount[]
  /** The most that may be sold in 24 hours, per token; undecided swaps count as sold. */
  readonly perDay: readonly Amount[]
  /** Limits over all tokens, in the unit of account. */
  readonly notional: {
    readonly perSwap: Amount
    readonly perHour: Amount
    /** In 24 hours. */
    readonly perDay: Amount
    /** Of one strategy in 24 hours. */
    readonly perStrategy: Amount
  }
  /** How far a quote may be from any independent reference, to either side. */
  readonly deviationBpsMax: number
  /** References that must have answered before a quote is believed. */
  readonly referencesMin: number
  /** The shortest time between two swaps of one strategy in one pair. */
  readonly cooldownMs: number
  /** What a swap's gas may cost, in bps of what is sold. */
  readonly gasCostBpsMax: number
  readonly slippageBpsMax: number
  readonly feeBpsMax: number
  /** Wei per gas. */
  readonly gasPriceMax: bigint
  readonly gasMax: bigint
  /** A quote must be good for at least this long when it is signed. */
  readonly timeToDeadlineSecondsMin: number
  /** What swaps, gas and days are counted in: a token, or {@link usdOf} the chain. */
  readonly unit: Token
  /** Where prices are taken from that are not the quote's own. */
  readonly references: readonly ReferenceConfig[]
  /** Tokens that are to be worth a US dollar, and how far from it they may be. */
  readonly stablecoins: readonly { readonly token: Token; readonly deviationBpsMax: number }[]
}

/** `pair` is what the price is of and what it is in; the chain's own currency stands as its wrapped token. */
export type ReferenceConfig = { readonly pair: readonly [Token, Token] } & (
  | {
      readonly kind: 'pool'
      readonly venue: 'uniswap-v2' | 'uniswap-v3'
      readonly address: Address
    }
  | { readonly kind: 'feed'; readonly address: Address; readonly ageMsMax: number }
  | {
      readonly kind: 'order-book'
      /** May carry a key. Undefined: of the quoting service itself. */
      readonly url: Secret | undefined
      readonly ageMsMax: number
    }
)
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
  /** Higher goes first, and does not see what lower ones reserve. */
  readonly priority: number
}
