import type { Hex } from '../../chain/calls/fields.ts'
import type { Order, SignedOrder } from '../../chain/settlement/order.ts'
import type { Address } from '../../core/token.ts'
import { zeroAddress } from '../../core/token.ts'
import type { RouteLeg } from '../route/source.ts'

type SignedLeg = SignedOrder & { readonly executorData: Hex }

/**
 * Signs all legs at once: makers in processes of their own answer side by side. All or none: where one declines, what
 * the others reserved is given back, for their signatures have not left this process.
 */
export async function signLegs(
  legs: readonly RouteLeg[],
  { nextOrderId, ...terms }: Omit<Terms, 'id'> & { readonly nextOrderId: () => bigint },
): Promise<readonly SignedLeg[]> {
  const answers = await Promise.allSettled(
    legs.map((leg) => signLeg(leg, { ...terms, id: nextOrderId() })),
  )
  const failed = answers.find((answer) => answer.status === 'rejected')
  if (failed === undefined)
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
  for (const [index, answer] of answers.entries()) {
    const settlement = legs[index]?.offer.settlement
    if (answer.status === 'fulfilled' && settlement?.kind === 'maker')
      settlement.desk.withdraw(answer.value.order)
  }
  throw failed.reason
}

type Terms = {
  readonly id: bigint
  readonly quoteId: Hex
  readonly caller: Address
  readonly deadline: bigint
  readonly executor: Address
  /** Whose shares of a maker's stock it is taken from. */
  readonly callers: readonly string[]
}

/** A leg as the router takes it. A maker's is signed by the maker; a pool's names the executor and its pool, and only the authorisation covers it. */
async function signLeg(
  { offer: { sell, buy, settlement }, sellWei, buyWei }: RouteLeg,
  { id, quoteId, caller, deadline, executor, callers }: Terms,
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
  const signature = await settlement.desk.sign(order, callers)
  return { order, signature, executorData: '0x' }
}
