import type { ChainListing } from '../api/chains.ts'
import type { DigestSigner } from '../chain/crypto/signer.ts'
import type { Address, Token } from '../core/token.ts'
import type { Venue } from './venues/venue.ts'

/** The market one service quotes and how its quotes settle. */
export type ServiceMarket = {
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
  readonly feeSigner: DigestSigner
  readonly feeRecipient: Address
  /** Of the input, in basis points. */
  readonly feeBps: number
  readonly expiry: { readonly defaultSeconds: number; readonly maxSeconds: number }
  readonly venues: readonly Venue[]
  /** Tokens a route may pass through; absent: none. */
  readonly hubs?: readonly Token[]
  /** Weight of the gas price in the choice of sources: 0 ignores gas, 1 (when absent) counts all of it. */
  readonly gasWeight?: number
  /** Whether the order book lists asks as asks alone; absent: also as bids for their quote token. */
  readonly asksAlone?: boolean
  /** How far the price of a quote may be below the best one for a hundredth of its amount, in basis points; absent: any distance. */
  readonly impactBpsMax?: number
  /** Whether a firm quote needs a taker that holds the amount at the quoting block; absent: not. */
  readonly needsBalance?: boolean
}
