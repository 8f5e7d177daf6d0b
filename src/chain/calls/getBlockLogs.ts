import { z } from 'zod'
import type { RpcCall } from '../rpc/rpc.ts'
import { address, bytes, type Hex, hash, smallQuantity } from './fields.ts'
import type { ReceiptLog } from './getReceipt.ts'

/** A log with its place in the block. */
export type BlockLog = ReceiptLog & {
  readonly transaction: Hex
  /** Of the transaction in the block. */
  readonly index: number
}

const placed = z.array(
  z.looseObject({
    address,
    topics: z.array(hash),
    data: bytes,
    transactionHash: hash,
    transactionIndex: smallQuantity,
    logIndex: smallQuantity,
  }),
)

/** `eth_getLogs` of one block, by its hash, so that no other block answers: events of these kinds in their order. */
export function getBlockLogs(blockHash: Hex, kinds: readonly Hex[]): RpcCall<readonly BlockLog[]> {
  return {
    method: 'eth_getLogs',
    params: [{ blockHash, topics: [kinds] }],
    parse: (answer) =>
      placed
        .parse(answer)
        .sort((a, b) => a.logIndex - b.logIndex)
        .map(({ address, topics, data, transactionHash, transactionIndex }) => ({
          ...{ address, topics, data },
          ...{ transaction: transactionHash, index: transactionIndex },
        })),
  }
}
