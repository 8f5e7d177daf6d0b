import type { Address } from '../../core/token.ts'
import type { Hex } from '../calls/fields.ts'

/** One leg: `seller` gives `sellerToken` to `buyer` for `buyerToken`. The struct of the router, field for field. */
export type Order = {
  readonly id: bigint
  readonly signer: Address
  readonly buyer: Address
  readonly seller: Address
  readonly buyerToken: Address
  readonly sellerToken: Address
  readonly buyerTokenAmount: bigint
  readonly sellerTokenAmount: bigint
  readonly caller: Address
  /** 16 bytes: the UUID without its dashes. */
  readonly quoteId: Hex
  /** Unix seconds; valid while the block's timestamp is not above it. */
  readonly deadlineTimestamp: bigint
}

/** An order and its maker's signature; `0x` for an AMM leg, which only the authorisation covers. */
export type SignedOrder = { readonly order: Order; readonly signature: Hex }

/** `feeRate` in basis points of the input. */
export type WidgetFee = {
  readonly signer: Address
  readonly feeRecipient: Address
  readonly feeRate: bigint
}

/** The argument of `exactInput`. */
export type ExactInput = {
  readonly orders: Hex
  readonly recipient: Address
  readonly amountIn: bigint
  readonly amountOutMinimum: bigint
  readonly toWrap: boolean
  readonly toUnwrap: boolean
  readonly widgetFee: WidgetFee
  readonly widgetFeeSignature: Hex
  readonly fallbackSwapDataArray: readonly Hex[]
}
