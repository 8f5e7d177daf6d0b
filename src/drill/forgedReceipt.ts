import { encodeAbiParameters, encodeEventTopics, keccak256, parseTransaction } from 'viem'
import { swapRouterAbi } from '../chain/abi/swapRouter.ts'
import type { Hex } from '../chain/calls/fields.ts'
import { decodeExactInput, decodeOrders } from '../chain/settlement/codec.ts'
import { authorizationHash } from '../chain/settlement/typedData.ts'
import { assert } from '../core/assert.ts'
import type { NodeAnswer, NodeScene } from './lie.ts'

/** A receipt of a transaction nobody mined, in a block that is there, with the event the router would have written. */
export async function forgedReceipt(raw: Hex, scene: NodeScene): Promise<Partial<NodeAnswer>> {
  const { data = '0x' } = parseTransaction(raw)
  const swap = decodeExactInput(data)
  assert(swap !== undefined, 'the bot sends calls of exactInput')
  const orders = decodeOrders(swap.orders)
  const { chainId, router, wallet, sold, bought } = scene
  const authorization = authorizationHash({ chainId, router }, { orders, caller: wallet, swap })
  const amountOut = orders.reduce((sum, { order }) => sum + order.buyerTokenAmount, 0n)
  const block = (await scene.ask('eth_getBlockByNumber', ['0x5', false])) as {
    readonly hash: string
    readonly number: string
  }
  const log = {
    address: router,
    topics: encodeEventTopics({
      abi: swapRouterAbi,
      eventName: 'Swapped',
      args: { authorization, caller: wallet, recipient: swap.recipient },
    }),
    data: encodeAbiParameters(
      [
        { type: 'address' },
        { type: 'address' },
        { type: 'uint256' },
        { type: 'uint256' },
        { type: 'bytes16' },
      ],
      [sold, bought, swap.amountIn, amountOut, orders[0]?.order.quoteId ?? `0x${'00'.repeat(16)}`],
    ),
  }
  return {
    result: {
      transactionHash: keccak256(raw),
      status: '0x1',
      blockNumber: block.number,
      blockHash: block.hash,
      gasUsed: '0x30000',
      effectiveGasPrice: '0x1',
      logs: [log],
    },
  }
}
