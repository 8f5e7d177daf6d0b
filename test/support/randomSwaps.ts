import fc from 'fast-check'
import { getAddress } from 'viem'
import type { Order } from '../../src/chain/settlement/order.ts'
import type { Address } from '../../src/core/token.ts'

const hex = (bytes: number) =>
  fc
    .uint8Array({ minLength: bytes, maxLength: bytes })
    .map((value) => `0x${Buffer.from(value).toString('hex')}` as const)
/** In either spelling. */
export const address = fc
  .tuple(hex(20), fc.boolean())
  .map(([value, checked]): Address => (checked ? getAddress(value) : value))
const uint = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })
const bytes = fc
  .uint8Array({ maxLength: 100 })
  .map((value) => `0x${Buffer.from(value).toString('hex')}` as const)
/** Orders of random fields, each in the range of its type. */
export const order: fc.Arbitrary<Order> = fc.record({
  id: uint,
  signer: address,
  buyer: address,
  seller: address,
  buyerToken: address,
  sellerToken: address,
  buyerTokenAmount: uint,
  sellerTokenAmount: uint,
  caller: address,
  quoteId: hex(16),
  deadlineTimestamp: uint,
})
/** With what the service signs over them. */
export const authorized = fc.record({
  orders: fc.array(fc.record({ order, signature: bytes }), { maxLength: 3 }),
  caller: address,
  swap: fc.record({
    orders: bytes,
    recipient: address,
    amountIn: uint,
    amountOutMinimum: uint,
    toWrap: fc.boolean(),
    toUnwrap: fc.boolean(),
    widgetFee: fc.record({ signer: address, feeRecipient: address, feeRate: uint }),
    widgetFeeSignature: bytes,
    fallbackSwapDataArray: fc.array(bytes, { maxLength: 3 }),
  }),
})
