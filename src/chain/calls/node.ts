import { z } from 'zod'
import type { Address } from '../../core/token.ts'
import type { RpcCall } from '../rpc/rpc.ts'
import { type BlockId, blockParameter, type Hex, hash, quantity, smallQuantity } from './fields.ts'

/** `eth_chainId`. */
export const getChainId: RpcCall<number> = {
  method: 'eth_chainId',
  params: [],
  parse: (answer) => smallQuantity.parse(answer),
}

/** `eth_syncing`: whether the node is still catching up with its chain. */
export const isSyncing: RpcCall<boolean> = {
  method: 'eth_syncing',
  params: [],
  parse: (answer) => answer !== false,
}

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
  // Every transaction here names a fee cap: a chain without base fees could not take it, and a default would be a price of nothing.
  baseFeePerGas: quantity,
})

/** Whether the newest block has a base fee; so it does for a node that has no block to show. */
export const hasBaseFee: RpcCall<boolean> = {
  method: 'eth_getBlockByNumber',
  params: ['latest', false],
  parse: (answer) => answer === null || newest.parse(answer).baseFeePerGas != null,
}

const newest = z.looseObject({ baseFeePerGas: quantity.nullish() })

/** `eth_getBlockByNumber`, or by hash. Undefined when the endpoint does not have the block. */
export function getBlock(id: Exclude<BlockId, 'pending'>): RpcCall<Block | undefined> {
  return {
    ...(typeof id === 'object'
      ? { method: 'eth_getBlockByHash', params: [id.blockHash, false] }
      : { method: 'eth_getBlockByNumber', params: [blockParameter(id), false] }),
    parse(answer) {
      if (answer === null) return undefined
      const { number, hash: blockHash, parentHash, timestamp, baseFeePerGas } = block.parse(answer)
      return { number, hash: blockHash, parentHash, timestamp, baseFeePerGas }
    },
  }
}

/** `eth_maxPriorityFeePerGas`: the tip the endpoint suggests, in wei per gas. A claim: `readTip` holds it to what blocks took, and policy caps it. */
export const getPriorityFee: RpcCall<bigint> = {
  method: 'eth_maxPriorityFeePerGas',
  params: [],
  parse: (answer) => quantity.parse(answer),
}

/** `eth_estimateGas`. An endpoint's answer here is a claim: bound it. Without `to` a contract is created. */
export function estimateGas({
  from,
  to,
  data,
  value,
}: {
  readonly from: Address
  readonly to?: Address
  readonly data: Hex
  readonly value: bigint
}): RpcCall<bigint> {
  return {
    method: 'eth_estimateGas',
    params: [{ from, ...(to === undefined ? {} : { to }), value: `0x${value.toString(16)}`, data }],
    parse: (answer) => quantity.parse(answer),
  }
}
