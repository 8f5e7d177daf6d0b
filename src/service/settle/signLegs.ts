import type { Hex } from '../../chain/calls/fields.ts'
import type { SignedOrder } from '../../chain/settlement/order.ts'
import type { Leg } from '../route/bestRoute.ts'
import { signLeg, type Terms } from './signLeg.ts'

type SignedLeg = SignedOrder & { readonly executorData: Hex }

/**
 * Signs all legs at once: makers in processes of their own answer side by side. All or none: where one declines, what
 * the others reserved is given back, for their signatures have not left this process.
 */
export async function signLegs(
  legs: readonly Leg[],
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
