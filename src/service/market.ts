import type { PrivateKeyAccount } from 'viem/accounts'
import type { ChainListing } from '../api/chains.ts'
import type { Address, Token } from '../core/token.ts'
import type { Venue } from './venues/venue.ts'

/** What one service quotes and how its quotes settle. */
export type Market = {
  readonly chain: ChainListing
  readonly blockTimeSeconds: number
  /** Every ERC-20 it knows; {@link wrapped} is one of them. */
  readonly tokens: readonly Token[]
  /** Addresses of tokens worth one US dollar by definition. */
  readonly dollars: readonly Address[]
  readonly native: Token
  readonly wrapped: Token
  readonly router: Address
  readonly executor: Address
  /** Authorises every firm quote. */
  readonly feeSigner: PrivateKeyAccount
  readonly feeRecipient: Address
  /** Of the input, in basis points. */
  readonly feeBps: number
  readonly expiry: { readonly defaultSeconds: number; readonly maxSeconds: number }
  readonly venues: readonly Venue[]
}
