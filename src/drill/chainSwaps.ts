import { decodeEventLog, encodeEventTopics } from 'viem'
import { z } from 'zod'
import { swapRouterAbi } from '../chain/abi/swapRouter.ts'
import { bytes, hash } from '../chain/calls/fields.ts'
import type { RpcCall } from '../chain/rpc/rpc.ts'
import type { ChainSwap } from './judge.ts'
import type { Scene } from './lie.ts'

const logs = z.array(z.looseObject({ topics: z.array(hash), data: bytes }))

/** Swaps of the wallet since a block, as the chain itself knows them. */
export function chainSwaps(
  { router, wallet }: Scene,
  sinceBlock: number,
): RpcCall<readonly ChainSwap[]> {
  const topics = encodeEventTopics({
    abi: swapRouterAbi,
    eventName: 'Swapped',
    args: { caller: wallet },
  })
  const fromBlock = `0x${sinceBlock.toString(16)}`
  return {
    method: 'eth_getLogs',
    params: [{ address: router, topics, fromBlock, toBlock: 'latest' }],
    parse: (answer) =>
      logs.parse(answer).map(({ topics: signature, data }) => {
        const { args } = decodeEventLog({
          abi: swapRouterAbi,
          eventName: 'Swapped',
          topics: signature as never,
          data,
        })
        const { recipient, amountIn, amountOut } = args
        return { recipient, amountIn, amountOut }
      }),
  }
}
