import {
  decodeAbiParameters,
  encodeAbiParameters,
  getAbiItem,
  parseAbiParameters,
  toFunctionSelector,
} from 'viem'
import { swapRouterAbi } from '../../../contracts/abi/swapRouter.ts'
import type { Hex } from '../calls/fields.ts'
import { abiWords } from './abiWords.ts'
import type { ExactInput, SignedOrder } from './order.ts'
import { isTransfer, type SignedPermit } from './permit.ts'

const signedOrders = parseAbiParameters([
  'SignedOrder[]',
  'struct SignedOrder { Order order; bytes signature; }',
  'struct Order { uint256 id; address signer; address buyer; address seller; address buyerToken; address sellerToken; uint256 buyerTokenAmount; uint256 sellerTokenAmount; address caller; bytes16 quoteId; uint256 deadlineTimestamp; }',
])

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
  return decodeAbiParameters(signedOrders, data)[0]
}

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
  return decodeAbiParameters(exactInput.inputs, `0x${data.slice(10)}`)[0]
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
