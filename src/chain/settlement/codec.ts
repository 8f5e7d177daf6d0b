import { decodeAbiParameters, encodeAbiParameters, getAbiItem, toFunctionSelector } from 'viem'
import { swapRouterAbi } from '../../../contracts/abi/swapRouter.ts'
import type { Hex } from '../calls/fields.ts'
import { abiWords } from './abiWords.ts'
import type { ExactInput, Order, SignedOrder } from './order.ts'
import { isTransfer, type SignedPermit } from './permit.ts'
import { type AbiReader, readAbi } from './readAbi.ts'

/** `abi.encode(SignedOrder[])`: the firm quote's top-level `calldata`. */
export function encodeOrders(orders: readonly SignedOrder[]): Hex {
  const encoded = orders.map(
    ({ order, signature }) => abiWords.order(order) + afterOrder + abiWords.bytes(signature),
  )
  return `0x${firstPlace}${abiWords.uint(BigInt(orders.length))}${abiWords.places(encoded)}`
}

/** Where the only argument of a call begins, and where an order's signature does: behind the order and this word. */
const [firstPlace, afterOrder] = [abiWords.uint(32n), abiWords.uint(12n * 32n)]

/** The inverse of {@link encodeOrders}. Tolerates trailing bytes: encode again and compare. */
export function decodeOrders(data: Hex): readonly SignedOrder[] {
  const { items, places } = readAbi(data).list(0)
  return places.map((place) => {
    const signed = items.tuple(place)
    return { order: orderIn(signed), signature: signed.bytes(11 * 32) }
  })
}

const orderIn = (tuple: AbiReader): Order => ({
  id: tuple.uint(0),
  signer: tuple.address(32),
  buyer: tuple.address(2 * 32),
  seller: tuple.address(3 * 32),
  buyerToken: tuple.address(4 * 32),
  sellerToken: tuple.address(5 * 32),
  buyerTokenAmount: tuple.uint(6 * 32),
  sellerTokenAmount: tuple.uint(7 * 32),
  caller: tuple.address(8 * 32),
  quoteId: tuple.bytes16(9 * 32),
  deadlineTimestamp: tuple.uint(10 * 32),
})

/** Looked up once: viem's own coders of calls hash every signature of the ABI on their way to it. */
const exactInput = getAbiItem({ abi: swapRouterAbi, name: 'exactInput' })

/** The first four bytes of the router's call. */
export const exactInputSelector = toFunctionSelector(exactInput)

/** The call of the router: `txRequest.calldata`. */
export function encodeExactInput(swap: ExactInput): Hex {
  const { orders, widgetFee, widgetFeeSignature, fallbackSwapDataArray } = swap
  const [signed, fee, fallbacks] = [
    abiWords.bytes(orders),
    abiWords.bytes(widgetFeeSignature),
    abiWords.uint(BigInt(fallbackSwapDataArray.length)) +
      abiWords.places(fallbackSwapDataArray.map(abiWords.bytes)),
  ]
  const head = 11 * 32
  const [feeAt, fallbacksAt] = [head + signed.length / 2, head + (signed + fee).length / 2]
  return `${exactInputSelector}${[
    firstPlace,
    abiWords.uint(BigInt(head)),
    abiWords.address(swap.recipient),
    abiWords.uint(swap.amountIn),
    abiWords.uint(swap.amountOutMinimum),
    abiWords.bool(swap.toWrap),
    abiWords.bool(swap.toUnwrap),
    abiWords.address(widgetFee.signer),
    abiWords.address(widgetFee.feeRecipient),
    abiWords.uint(widgetFee.feeRate),
    abiWords.uint(BigInt(feeAt)),
    abiWords.uint(BigInt(fallbacksAt)),
    signed,
    fee,
    fallbacks,
  ].join('')}`
}

/** Bytes of {@link encodeExactInput} before two of its words: the selector, where the tuple begins, and what stands first. */
export const exactInputOffsets = { amountIn: 4 + 3 * 32, amountOutMinimum: 4 + 4 * 32 } as const

/** The inverse of {@link encodeExactInput}, whatever the selector is. Encode again and compare. */
export function decodeExactInput(data: Hex): ExactInput {
  const tuple = readAbi(`0x${data.slice(10)}`).tuple(0)
  const fallbacks = tuple.list(10 * 32)
  return {
    orders: tuple.bytes(0),
    recipient: tuple.address(32),
    amountIn: tuple.uint(2 * 32),
    amountOutMinimum: tuple.uint(3 * 32),
    toWrap: tuple.bool(4 * 32),
    toUnwrap: tuple.bool(5 * 32),
    widgetFee: {
      signer: tuple.address(6 * 32),
      feeRecipient: tuple.address(7 * 32),
      feeRate: tuple.uint(8 * 32),
    },
    widgetFeeSignature: tuple.bytes(9 * 32),
    fallbackSwapDataArray: fallbacks.places.map((place) => fallbacks.items.bytes(place)),
  }
}

const exactInputWithPermit = getAbiItem({ abi: swapRouterAbi, name: 'exactInputWithPermit' })

const permitCallSelector = toFunctionSelector(exactInputWithPermit)

const exactInputWithPermit2 = getAbiItem({ abi: swapRouterAbi, name: 'exactInputWithPermit2' })

/** The first four bytes of the call whose input comes through Permit2. */
export const permit2CallSelector = toFunctionSelector(exactInputWithPermit2)

/** The same call with the caller's permit of the token sold. */
export function encodeExactInputWithPermit(swap: ExactInput, permit: SignedPermit): Hex {
  const [selector, encoded] = isTransfer(permit)
    ? [permit2CallSelector, encodeAbiParameters(exactInputWithPermit2.inputs, [swap, permit])]
    : [permitCallSelector, encodeAbiParameters(exactInputWithPermit.inputs, [swap, permit])]
  return `${selector}${encoded.slice(2)}`
}

/** Whether it is a call that brings a permit along. */
export const isPermitCall = (data: Hex): boolean =>
  data.startsWith(permitCallSelector) || data.startsWith(permit2CallSelector)

/** Whether it is a call that settles a quote, of either kind. */
export const isSwapCall = (data: Hex): boolean =>
  data.startsWith(exactInputSelector) || isPermitCall(data)

/** A call that settles a quote, and its permit where it brings one. Encode again and compare. */
export function decodeSwapCall(data: Hex): {
  readonly swap: ExactInput
  readonly permit: SignedPermit | undefined
} {
  if (!isPermitCall(data)) return { swap: decodeExactInput(data), permit: undefined }
  const body: Hex = `0x${data.slice(10)}`
  const [swap, permit] = data.startsWith(permit2CallSelector)
    ? decodeAbiParameters(exactInputWithPermit2.inputs, body)
    : decodeAbiParameters(exactInputWithPermit.inputs, body)
  return { swap, permit }
}

/** The inverse of {@link decodeSwapCall}. */
export const encodeSwapCall = ({ swap, permit }: ReturnType<typeof decodeSwapCall>): Hex =>
  permit === undefined ? encodeExactInput(swap) : encodeExactInputWithPermit(swap, permit)

/** A UUID as the router stores it: 16 bytes without dashes. Undefined when it is not 32 hex digits. */
export function quoteIdBytes(quoteId: string): Hex | undefined {
  const digits = quoteId.replaceAll('-', '').toLowerCase()
  return /^[0-9a-f]{32}$/.test(digits) ? `0x${digits}` : undefined
}
