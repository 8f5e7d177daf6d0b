import { decodeEventLog, encodeEventTopics } from 'viem'
import { z } from 'zod'
import { swapRouterAbi } from '../../contracts/abi/swapRouter.ts'
import type { Rpc } from '../../src/chain/rpc/rpc.ts'
import type { ReadyDocument } from '../../src/sandbox/readyDocument.ts'

const logs = z.array(z.looseObject({ topics: z.array(z.string()), data: z.string() }))

/** Every swap of the treasury that the chain itself knows of. */
export async function swappedEvents(rpc: Rpc, { router, wallets }: ReadyDocument) {
  const caller = wallets.treasury?.address
  if (caller === undefined) throw new Error('the world has a treasury')
  const topics = encodeEventTopics({ abi: swapRouterAbi, eventName: 'Swapped', args: { caller } })
  const found = await rpc.request({
    method: 'eth_getLogs',
    params: [{ address: router, topics, fromBlock: '0x0', toBlock: 'latest' }],
    parse: (answer) => logs.parse(answer),
  })
  return found.map(
    ({ topics, data }) =>
      decodeEventLog({
        abi: swapRouterAbi,
        eventName: 'Swapped',
        topics: topics as never,
        data: data as `0x${string}`,
      }).args,
  )
}
