import { domainSeparator, keccak256 } from 'viem'
import { assert } from '../../core/assert.ts'
import type { Address } from '../../core/token.ts'
import type { Hex } from '../calls/fields.ts'
import type { Order } from '../settlement/order.ts'
import { type Authorized, type Domain, domainOf, typedDataTypes } from '../settlement/typedData.ts'

/** The digests of one router that keys sign. */
export type Digests = {
  order(order: Order): Hex
  authorization(authorized: Authorized): Hex
}

/**
 * EIP-712 digests with the domain hashed once: the same bytes as viem's `hashTypedData`, several times as fast.
 *
 * Both structs have only fields of one word each, so a struct's encoding is its type hash and its words.
 */
export function createDigests(domain: Domain): Digests {
  const separator = domainSeparator({ domain: domainOf(domain) })
  const digest = (structHash: Hex) => hashHex(`1901${digitsOf(separator)}${digitsOf(structHash)}`)
  return {
    order: (order) => digest(orderHash(order)),
    authorization({ orders, caller, swap }) {
      const { widgetFee } = swap
      return digest(
        hashHex(
          authorizationType +
            digitsOf(hashList(orders.map(({ order }) => orderHash(order)))) +
            digitsOf(hashList(orders.map(({ signature }) => keccak256(signature)))) +
            digitsOf(hashList(swap.fallbackSwapDataArray.map((data) => keccak256(data)))) +
            addressWord(caller) +
            addressWord(swap.recipient) +
            uintWord(swap.amountIn) +
            uintWord(swap.amountOutMinimum) +
            uintWord(swap.toWrap ? 1n : 0n) +
            uintWord(swap.toUnwrap ? 1n : 0n) +
            addressWord(widgetFee.signer) +
            addressWord(widgetFee.feeRecipient) +
            uintWord(widgetFee.feeRate),
        ),
      )
    },
  }
}

/** An order is hashed when its maker signs it and again when the service signs the swap. */
const orderHashes = new WeakMap<Order, Hex>()

function orderHash(order: Order): Hex {
  const known = orderHashes.get(order)
  if (known !== undefined) return known
  const hash = hashOrder(order)
  orderHashes.set(order, hash)
  return hash
}

function hashOrder(order: Order): Hex {
  return hashHex(
    orderType +
      uintWord(order.id) +
      addressWord(order.signer) +
      addressWord(order.buyer) +
      addressWord(order.seller) +
      addressWord(order.buyerToken) +
      addressWord(order.sellerToken) +
      uintWord(order.buyerTokenAmount) +
      uintWord(order.sellerTokenAmount) +
      addressWord(order.caller) +
      bytes16Word(order.quoteId) +
      uintWord(order.deadlineTimestamp),
  )
}

const wordMax = 2n ** 256n

/** Numbers are right-aligned in their word. */
function uintWord(value: bigint): string {
  assert(value >= 0n && value < wordMax, 'a number to sign fits in 256 bits')
  return value.toString(16).padStart(64, '0')
}

const addressPadding = '0'.repeat(24)

function addressWord(address: Address): string {
  // Buffer stops silently at the first digit that is none, and what is signed would be something else.
  assert(/^0x[0-9a-fA-F]{40}$/.test(address), 'an address to sign has 40 hex digits')
  return addressPadding + address.slice(2)
}

const bytes16Padding = '0'.repeat(32)

/** Bytes of fixed length are left-aligned in their word. */
function bytes16Word(value: Hex): string {
  assert(/^0x[0-9a-fA-F]{32}$/.test(value), 'a quote id to sign has 16 bytes')
  return value.slice(2) + bytes16Padding
}

const hashHex = (digits: string): Hex => keccak256(Buffer.from(digits, 'hex'))

const hashList = (hashes: readonly Hex[]): Hex => hashHex(hashes.map(digitsOf).join(''))

const digitsOf = (hex: Hex): string => hex.slice(2)

type Field = { readonly name: string; readonly type: string }

/** The hash of `Name(type field,…)`, from the list of fields viem hashes by. */
function typeHash(name: string, fields: readonly Field[]): string {
  const text = `${name}(${fields.map((field) => `${field.type} ${field.name}`).join(',')})`
  return digitsOf(keccak256(Buffer.from(text)))
}

const orderType = typeHash('Order', typedDataTypes.Order)
const authorizationType = typeHash('SwapAuthorization', typedDataTypes.SwapAuthorization)
