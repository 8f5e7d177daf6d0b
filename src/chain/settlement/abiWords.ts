import { assert } from '../../core/assert.ts'
import type { Address } from '../../core/token.ts'
import type { Hex } from '../calls/fields.ts'
import type { Order } from './order.ts'

/**
 * The words of 32 bytes that calldata and EIP-712 structs are made of, as hex digits without `0x`.
 *
 * Every value is examined on its way in: Buffer stops silently at the first digit that is none, and what is signed would
 * be something else.
 */
export const abiWords = {
  /** Numbers are right-aligned in their word. */
  uint(value: bigint): string {
    assert(value >= 0n && value < wordMax, 'a number to sign fits in 256 bits')
    return value.toString(16).padStart(64, '0')
  },

  bool: (value: boolean): string => abiWords.uint(value ? 1n : 0n),

  address(address: Address): string {
    assert(/^0x[0-9a-fA-F]{40}$/.test(address), 'an address to sign has 40 hex digits')
    return addressPadding + address.slice(2).toLowerCase()
  },

  /** Bytes of fixed length are left-aligned in their word. */
  bytes16(value: Hex): string {
    assert(/^0x[0-9a-fA-F]{32}$/.test(value), 'a quote id to sign has 16 bytes')
    return value.slice(2) + bytes16Padding
  },

  /** Bytes of any length as they are: not yet a word. */
  digits(value: Hex): string {
    const isHex = value.length % 2 === 0 && /^0x[0-9a-fA-F]*$/.test(value)
    assert(isHex, 'bytes to sign are whole bytes in hex')
    return value.slice(2)
  },

  /** The same in calldata: their length, and as many words as they fill. */
  bytes(value: Hex): string {
    const digits = abiWords.digits(value)
    const whole = Math.ceil(digits.length / 64) * 64
    return abiWords.uint(BigInt(digits.length / 2)) + digits.padEnd(whole, '0')
  },

  /** Values of any length in calldata: where each begins, counted from the first of these places, and then all of them. */
  places(values: readonly string[]): string {
    let at = 32 * values.length
    const places = values.map((value) => {
      const place = abiWords.uint(BigInt(at))
      at += value.length / 2
      return place
    })
    return places.join('') + values.join('')
  },

  /** A struct of fields of one word each: the same in calldata, and under the signatures of its maker and the service. */
  order(order: Order): string {
    const known = ofOrders.get(order)
    if (known !== undefined) return known
    const made = wordsOf(order)
    ofOrders.set(order, made)
    return made
  },
}

const ofOrders = new WeakMap<Order, string>()

const wordsOf = (order: Order): string =>
  abiWords.uint(order.id) +
  abiWords.address(order.signer) +
  abiWords.address(order.buyer) +
  abiWords.address(order.seller) +
  abiWords.address(order.buyerToken) +
  abiWords.address(order.sellerToken) +
  abiWords.uint(order.buyerTokenAmount) +
  abiWords.uint(order.sellerTokenAmount) +
  abiWords.address(order.caller) +
  abiWords.bytes16(order.quoteId) +
  abiWords.uint(order.deadlineTimestamp)

const wordMax = 2n ** 256n
const addressPadding = '0'.repeat(24)
const bytes16Padding = '0'.repeat(32)
