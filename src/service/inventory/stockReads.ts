import { erc20Abi } from '../../chain/abi/contracts.ts'
import type { BlockId } from '../../chain/calls/fields.ts'
import { readContract } from '../../chain/calls/readContract.ts'
import type { RpcCall, RpcOutcome } from '../../chain/rpc/rpc.ts'
import { smaller } from '../../core/holdings.ts'
import type { Address } from '../../core/token.ts'
import type { Stock } from './createInventory.ts'
import { usedOrders } from './usedOrders.ts'

type Maker = {
  readonly router: Address
  readonly maker: Address
  readonly tokens: readonly Address[]
}

/** Reads of a maker at every block: balance and allowance of each token, and which of its orders are used. */
export const stockReads = {
  reads(
    block: BlockId,
    { router, maker, tokens, ids }: Maker & { readonly ids: readonly bigint[] },
  ): readonly RpcCall<unknown>[] {
    const holdings = tokens.flatMap((address) => [
      readContract({ address, abi: erc20Abi, functionName: 'balanceOf', args: [maker], block }),
      readContract({
        address,
        abi: erc20Abi,
        functionName: 'allowance',
        args: [maker, router],
        block,
      }),
    ])
    return [...holdings, ...usedOrders.reads(block, { router, maker, ids })]
  },

  /** From the answers in that order. A token that could not be read is left out: nothing of it is offered. */
  stock(
    answers: readonly RpcOutcome<unknown>[],
    { timestamp, tokens }: { readonly timestamp: number; readonly tokens: readonly Address[] },
  ): Stock {
    const held = tokens.flatMap((address, index): readonly (readonly [Address, bigint])[] => {
      const [balance, allowance] = [answers[index * 2], answers[index * 2 + 1]]
      if (balance?.ok !== true || allowance?.ok !== true) return []
      return [[address, smaller(balance.value as bigint, allowance.value as bigint)]]
    })
    return {
      timestamp,
      held: new Map(held),
      isUsed: usedOrders.from(answers.slice(tokens.length * 2)),
    }
  },
}
