import type { Address, Token } from '../../../core/token.ts'

/** What a signer process signs, from its own configuration. Default deny. */
export type Limits = {
  readonly chainId: number
  /** The only contract that is called or approved. */
  readonly router: Address
  /** Who may receive, besides the wallet itself. */
  readonly recipients: readonly Address[]
  /** Tokens that may be bought; sold and approved only within their limits, in the token's smallest unit. */
  readonly tokens: readonly {
    readonly token: Token
    readonly perTransaction: bigint
    readonly perDay: bigint
  }[]
  readonly gasMax: bigint
  /** Wei per gas. */
  readonly gasPriceMax: bigint
}
