import { z } from 'zod'
import type { RpcCall } from '../rpc/rpc.ts'
import { type BlockId, blockParameter, type Hex, hash, quantity, smallQuantity } from './fields.ts'

/** A block header's facts that deadlines, fees and reorganisations are judged by. */
export type Block = {
  readonly number: number
  readonly hash: Hex
  readonly parentHash: Hex
  /** Unix seconds. */
  readonly timestamp: number
  readonly baseFeePerGas: bigint
}

const block = z.looseObject({
  number: smallQuantity,
  hash,
  parentHash: hash,
  timestamp: smallQuantity,
  baseFeePerGas: quantity.optional(),
})

/** `eth_getBlockByNumber`. Undefined when the endpoint does not have the block. */
export function getBlock(id: 'latest' | number): RpcCall<Block | undefined> {
  return {
    method: 'eth_getBlockByNumber',
    params: [blockParameter(id satisfies BlockId), false],
    parse(answer) {
      if (answer === null) return undefined
      const { baseFeePerGas = 0n, ...rest } = block.parse(answer)
      const { number, hash: blockHash, parentHash, timestamp } = rest
      return { number, hash: blockHash, parentHash, timestamp, baseFeePerGas }
    },
  }
}
