import { encodeEventTopics } from 'viem'
import { swapRouterAbi } from '../../../contracts/abi/swapRouter.ts'
import { type Address, sameAddress } from '../../core/token.ts'
import type { Receipt } from '../calls/getReceipt.ts'

/** Whether a contract itself logged a swap of this caller: then it is a router of it, whatever is configured today. */
export function isSettledBy(
  { logs }: Pick<Receipt, 'logs'>,
  { router, caller }: { readonly router: Address; readonly caller: Address },
): boolean {
  const [event, , of] = encodeEventTopics({
    ...{ abi: swapRouterAbi, eventName: 'Swapped', args: { caller } },
  })
  return logs.some(
    ({ address, topics }) =>
      sameAddress(address, router) && topics[0] === event && topics[2] === of,
  )
}
