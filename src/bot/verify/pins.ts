import type { Address } from '../../core/token.ts'

/** The facts this installation knows by itself, and therefore need not believe. */
export type Pins = {
  readonly chainId: number
  readonly router: Address
  readonly executor: Address
  readonly feeSigner: Address
  /** The permitted recipients of the service's fee, besides the fee signer. */
  readonly feeRecipients: readonly Address[]
  /** Whose orders are accepted, and whose signatures under them. */
  readonly makers: readonly Address[]
  /** Tokens a leg may sell or buy, those between included. */
  readonly tokens: readonly Address[]
  /** The ERC-20 that stands for the chain's own currency inside the router. */
  readonly wrapped: Address
  readonly feeBpsMax: number
  readonly timeToDeadlineSecondsMin: number
}
