import {
  decodeExactInput,
  decodeOrders,
  encodeExactInput,
  encodeOrders,
} from '../../chain/settlement/codec.ts'
import type { ExactInput, SignedOrder } from '../../chain/settlement/order.ts'
import { assert } from '../../core/assert.ts'
import type { Checklist } from '../../core/check.ts'
import type { Quoted } from '../stages.ts'
import type { Pins } from './pins.ts'

/** What the calldata really says. */
export type Decoded = { readonly swap: ExactInput; readonly orders: readonly SignedOrder[] }

/**
 * Reads the transaction. Concludes at once when it is not a call of `exactInput` with orders inside,
 * since nothing further could be compared.
 *
 * viem's decoder tolerates trailing bytes and dirty address bits, so both layers are encoded again
 * and must come out byte for byte.
 */
export function decode({ quote }: Quoted, pins: Pins, checks: Checklist): Decoded {
  const { target, calldata } = quote.txRequest
  checks.equal('router', pins.router, target)

  const swap = attempt(() => decodeExactInput(calldata))
  checks.equal('selector', 'exactInput', swap === undefined ? calldata.slice(0, 10) : 'exactInput')
  if (swap === undefined) checks.conclude()
  assert(swap !== undefined, 'an undecodable call was refused')
  checks.equal('canonical-call', calldata, encodeExactInput(swap))

  const orders = attempt(() => decodeOrders(swap.orders))
  checks.equal('orders-decode', 'orders', orders === undefined ? 'garbage' : 'orders')
  if (orders === undefined) checks.conclude()
  assert(orders !== undefined, 'undecodable orders were refused')
  checks.equal('canonical-orders', swap.orders, encodeOrders(orders))
  checks.holds('orders-present', orders.length >= 1 && orders.length <= 8, '1 to 8', orders.length)
  checks.conclude()
  return { swap, orders }
}

function attempt<result>(read: () => result): result | undefined {
  try {
    return read()
  } catch {
    // Why it cannot be decoded is of no use to anyone: the caller's check names the bytes.
    return undefined
  }
}
