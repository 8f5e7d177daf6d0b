import { parseTransaction, serializeTransaction, type TransactionSerializableEIP1559 } from 'viem'
import type { Hex } from '../../../chain/calls/fields.ts'
import {
  decodeOrders,
  decodeSwapCall,
  encodeOrders,
  encodeSwapCall,
} from '../../../chain/settlement/codec.ts'
import type { ExactInput, SignedOrder } from '../../../chain/settlement/order.ts'
import { type BallastError, ballastError } from '../../../core/errors.ts'
import type { Transaction } from '../../stages.ts'

/** A transaction as a signer process reads it from bytes: every field that is signed. */
export type Unsigned = Transaction & { readonly type: 'eip1559' }

/** A call of the router and its orders. */
export type RouterCall = { readonly call: ExactInput; readonly orders: readonly SignedOrder[] }

/** An absent nonce is parsed as 0. */
type Parsed = TransactionSerializableEIP1559 & { readonly nonce: number }

/** Reads an unsigned transaction; refuses bytes that are not the canonical ones of what they say. */
export function readTransaction(unsigned: Hex): Unsigned {
  const parsed = attempt(() => parseTransaction(unsigned) as Parsed)
  if (parsed === undefined || parsed.type !== 'eip1559')
    throw refused('NOT_EIP1559', 'it is no EIP-1559 transaction')
  if ('r' in parsed) throw refused('SIGNED_ALREADY', 'it carries a signature')
  if (parsed.to == null) throw refused('CREATES_CONTRACT', 'it creates a contract')
  if (parsed.accessList !== undefined) throw refused('ACCESS_LIST', 'it has an access list')
  // RLP has no zero: an absent amount is 0 and absent data is 0x.
  const transaction = {
    type: 'eip1559' as const,
    chainId: parsed.chainId,
    nonce: parsed.nonce,
    to: parsed.to,
    data: parsed.data ?? '0x',
    value: parsed.value ?? 0n,
    gas: parsed.gas ?? 0n,
    maxFeePerGas: parsed.maxFeePerGas ?? 0n,
    maxPriorityFeePerGas: parsed.maxPriorityFeePerGas ?? 0n,
  }
  // Bytes that the parser overlooked would be signed unseen.
  if (attempt(() => serializeTransaction(transaction)) !== unsigned.toLowerCase())
    throw refused('NOT_CANONICAL', 'its bytes are not the canonical ones of what they say')
  return transaction
}

/**
 * Reads a call of the router, without or with a permit; refuses one that is not the canonical encoding of what it says. Its
 * permit can only be of the amount sold, for the router: the router takes it for no other, and nothing else signs one.
 */
export function readRouterCall(data: Hex): RouterCall {
  const read = attempt(() => decodeSwapCall(data))
  if (read === undefined)
    throw refused(
      'UNKNOWN_CALL',
      'of the router only exactInput and exactInputWithPermit are called',
    )
  const call = read.swap
  const orders = attempt(() => decodeOrders(call.orders))
  if (orders === undefined) throw refused('BAD_ORDERS', 'its orders cannot be read')
  // viem's decoder tolerates trailing bytes and dirty address bits.
  if (encodeSwapCall(read) !== data || encodeOrders(orders) !== call.orders)
    throw refused('NOT_CANONICAL', 'its call is not the canonical encoding of what it says')
  return { call, orders }
}

/** The value, or undefined where `read` throws. */
export function attempt<result>(read: () => result): result | undefined {
  try {
    return read()
  } catch {
    // Why it cannot be read is of no use to anyone: the refusal names the rule.
    return undefined
  }
}

/** A refusal by the signer's own rule. */
export function refused(rule: string, reason: string): BallastError {
  return ballastError('SIGNER_REFUSED', `Refused: ${reason}.`, { rule })
}
