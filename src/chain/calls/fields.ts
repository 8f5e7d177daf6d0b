import { z } from 'zod'
import type { Address } from '../../core/token.ts'
import type { RpcCall } from '../rpc/rpc.ts'

/** `0x…` bytes. */
export type Hex = `0x${string}`

/** A JSON-RPC quantity as a bigint. */
export const quantity = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,64}$/)
  .transform((text) => BigInt(text))

/** A JSON-RPC quantity that fits a number: nonces, timestamps, block numbers. */
export const smallQuantity = quantity
  .refine((value) => value <= BigInt(Number.MAX_SAFE_INTEGER))
  .transform(Number)

export const bytes = z
  .string()
  .regex(/^0x(?:[0-9a-fA-F]{2})*$/)
  .transform((text) => text as Hex)

export const hash = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/)
  .transform((text) => text.toLowerCase() as Hex)

export const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .transform((text) => text as Address)

/** A block by tag, by number or by hash (EIP-1898). */
export type BlockId =
  | 'latest'
  | 'safe'
  | 'finalized'
  | 'pending'
  | number
  | { readonly blockHash: Hex }

/** {@link BlockId} as a JSON-RPC parameter. */
export function blockParameter(block: BlockId): unknown {
  return typeof block === 'number' ? `0x${block.toString(16)}` : block
}

/** The same call at one block (EIP-1898), where it says the latest one. */
export const pinned = <result>(call: RpcCall<result>, blockHash: Hex): RpcCall<result> => ({
  ...call,
  params: call.params.map((one) => (one === 'latest' ? { blockHash } : one)),
})
