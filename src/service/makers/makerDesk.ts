import type { Hex } from '../../chain/calls/fields.ts'
import type { Order } from '../../chain/settlement/order.ts'
import type { Address } from '../../core/token.ts'

/** Where a maker's orders are signed, in this process or in the maker's own. A port: settling knows nothing else of it. */
export type MakerDesk = {
  /** Holds the maker's tokens and signs for them. */
  readonly address: Address
  /** Reserves what the order pays, within the shares of the callers, then signs it. Throws a `MakerDeclined`, and then nothing is reserved. */
  sign(order: Order, callers?: readonly string[]): Promise<Hex>
  /** Takes the reservation back. Only while the signature has not left this process. */
  withdraw(order: Order): void
}
