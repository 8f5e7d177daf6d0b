import { swapRouterAbi } from '../../../contracts/abi/swapRouter.ts'
import type { BlockId } from '../../chain/calls/fields.ts'
import { readContract } from '../../chain/calls/readContract.ts'
import type { RpcCall, RpcOutcome } from '../../chain/rpc/rpc.ts'
import type { Address } from '../../core/token.ts'

/** 256 bits of the router, one per order id; it names its own ids, so that no order of answers is relied on. */
type UsedWord = { readonly word: bigint; readonly bits: bigint }

const wordOf = (orderId: bigint) => orderId / 256n

/** Which ids of a maker the router has consumed at a block: filled or cancelled. */
export const usedOrders = {
  reads(
    block: BlockId,
    { router, maker, ids }: { router: Address; maker: Address; ids: readonly bigint[] },
  ): readonly RpcCall<UsedWord>[] {
    return [...new Set(ids.map(wordOf))].map((word) => {
      const call = readContract({
        address: router,
        abi: swapRouterAbi,
        functionName: 'nonceBitmap',
        args: [maker, word],
        block,
      })
      return { ...call, parse: (answer) => ({ word, bits: call.parse(answer) }) }
    })
  },

  /** An id whose word could not be read, or was not requested, counts as not used. */
  from(answers: readonly RpcOutcome<unknown>[]): (orderId: bigint) => boolean {
    const words = new Map(
      answers.flatMap((answer) => {
        if (!answer.ok) return []
        const { word, bits } = answer.value as UsedWord
        return [[word, bits] as const]
      }),
    )
    return (orderId) => (((words.get(wordOf(orderId)) ?? 0n) >> (orderId % 256n)) & 1n) === 1n
  },
}
