import {
  decodeAbiParameters,
  decodeFunctionData,
  encodeAbiParameters,
  encodeFunctionData,
  parseAbiParameters,
} from 'viem'
import { swapRouterAbi } from '../abi/swapRouter.ts'
import type { Hex } from '../calls/fields.ts'
import type { ExactInput, SignedOrder } from './order.ts'

const signedOrders = parseAbiParameters([
  'SignedOrder[]',
  'struct SignedOrder { Order order; bytes signature; }',
  'struct Order { uint256 id; address signer; address buyer; address seller; address buyerToken; address sellerToken; uint256 buyerTokenAmount; uint256 sellerTokenAmount; address caller; bytes16 quoteId; uint256 deadlineTimestamp; }',
])

/** `abi.encode(SignedOrder[])`: the firm quote's top-level `calldata`. */
export function encodeOrders(orders: readonly SignedOrder[]): Hex {
  return encodeAbiParameters(signedOrders, [orders])
}

/** The inverse of {@link encodeOrders}. Tolerates trailing bytes: encode again and compare. */
export function decodeOrders(data: Hex): readonly SignedOrder[] {
  return decodeAbiParameters(signedOrders, data)[0]
}

/** The call of the router: `txRequest.calldata`. */
export function encodeExactInput(swap: ExactInput): Hex {
  return encodeFunctionData({
    abi: swapRouterAbi,
    functionName: 'exactInput',
    args: [swap],
  })
}

/** The inverse of {@link encodeExactInput}; undefined for a call of anything else. Encode again and compare. */
export function decodeExactInput(data: Hex): ExactInput | undefined {
  const { functionName, args } = decodeFunctionData({ abi: swapRouterAbi, data })
  return functionName === 'exactInput' ? args[0] : undefined
}

/** A UUID as the router stores it: 16 bytes without dashes. Undefined when it is not 32 hex digits. */
export function quoteIdBytes(quoteId: string): Hex | undefined {
  const digits = quoteId.replaceAll('-', '').toLowerCase()
  return /^[0-9a-f]{32}$/.test(digits) ? `0x${digits}` : undefined
}
