import type { Order } from '../../src/chain/settlement/order.ts'
import { type Domain, domainOf, typedDataTypes } from '../../src/chain/settlement/typedData.ts'

/** The typed data a maker signs for one order, as viem takes it: what our own digests are held to. */
export function orderTypedData(domain: Domain, order: Order) {
  return {
    domain: domainOf(domain),
    types: { Order: typedDataTypes.Order },
    primaryType: 'Order',
    message: order,
  } as const
}
