import type { Hex } from '../../chain/calls/fields.ts'
import type { Order, SignedOrder } from '../../chain/settlement/order.ts'
import type { Address } from '../../core/token.ts'
import type { Leg } from '../route/bestRoute.ts'

const zeroAddress: Address = '0x0000000000000000000000000000000000000000'

export type Terms = {
  readonly id: bigint
  readonly quoteId: Hex
  readonly caller: Address
  readonly deadline: bigint
  readonly executor: Address
}

/** A leg as the router takes it. A maker's is signed by the maker; a pool's names the executor and its pool, and only the authorisation covers it. */
export async function signLeg(
  { offer: { sell, buy, settlement }, sellWei, buyWei }: Leg,
  { id, quoteId, caller, deadline, executor }: Terms,
): Promise<SignedOrder & { executorData: Hex }> {
  const maker = settlement.kind === 'maker' ? settlement.desk : undefined
  const order: Order = {
    id,
    signer: maker?.address ?? zeroAddress,
    buyer: maker?.address ?? executor,
    seller: caller,
    buyerToken: buy.address,
    sellerToken: sell.address,
    buyerTokenAmount: buyWei,
    sellerTokenAmount: sellWei,
    caller,
    quoteId,
    deadlineTimestamp: deadline,
  }
  if (settlement.kind === 'amm')
    return { order, signature: '0x', executorData: settlement.executorData }
  const signature = await settlement.desk.sign(order)
  return { order, signature, executorData: '0x' }
}
