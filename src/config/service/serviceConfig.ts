import type { Secret } from '../../core/secret.ts'
import type { Address, Token } from '../../core/token.ts'
import type { ServiceText } from './schema.ts'

/** What `ballast service` runs: `service.yaml` and the environment, checked. */
export type ServiceConfig = {
  /** Path of the file it came from. */
  readonly file: string
  readonly chain: {
    readonly name: string
    readonly chainId: number
    readonly label: string
    readonly currency: string
    /** Known to carry real money. */
    readonly isMainnet: boolean
    /** May carry a key. */
    readonly rpcUrl: Secret
    readonly blockTimeSeconds: number
  }
  readonly router: Address
  readonly executor: Address
  readonly tokens: ReadonlyMap<string, Token>
  readonly wrapped: Token
  readonly native: Token
  /** Tokens worth one US dollar by definition. */
  readonly dollars: readonly Address[]
  readonly pools: readonly PoolConfig[]
  readonly makers: readonly MakerConfig[]
  /** Makers in processes of their own; their keys are theirs. */
  readonly remoteMakers: readonly RemoteMakerConfig[]
  /** Tokens a route may pass through. */
  readonly hubs: readonly Token[]
  /** How much of the gas price counts when sources are chosen. */
  readonly gasWeight: number
  readonly widgetFee: { readonly recipient: Address; readonly bps: number; readonly signer: Secret }
  readonly expiry: { readonly defaultSeconds: number; readonly maxSeconds: number }
  /** Absolute path; undefined: no key is needed. */
  readonly keysFile: string | undefined
  readonly rateLimit: { readonly perSecond: number; readonly burst: number }
  readonly errorStyle: ServiceText['errorStyle']
  readonly listen: { readonly host: string; readonly port: number }
  readonly logLevel: ServiceText['logLevel']
}

export type PoolConfig = {
  readonly address: Address
  readonly tokens: readonly [Token, Token]
  /** Of a v3 pool, in millionths of the input; undefined: a v2 pair. */
  readonly v3Fee: V3Fee | undefined
}

export type V3Fee = 100 | 500 | 3000 | 10000

export type RemoteMakerConfig = {
  readonly name: string
  /** May carry a key. */
  readonly url: Secret
  readonly address: Address
  readonly pairs: readonly (readonly [Token, Token])[]
}

export type MakerConfig = {
  readonly name: string
  readonly key: Secret
  readonly books: readonly {
    readonly base: Token
    readonly quote: Token
    readonly bid: readonly (readonly [amount: string, price: string])[]
    readonly ask: readonly (readonly [amount: string, price: string])[]
    readonly minimumInBase: string
  }[]
}
