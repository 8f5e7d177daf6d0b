import { concat, hashStruct, hashTypedData, keccak256 } from 'viem'
import type { Address } from '../../core/token.ts'
import type { Hex } from '../calls/fields.ts'
import type { ExactInput, Order, SignedOrder } from './order.ts'

/** EIP-712 types of the router: what a maker signs, and what the service signs. */
export const typedDataTypes = {
  Order: [
    { name: 'id', type: 'uint256' },
    { name: 'signer', type: 'address' },
    { name: 'buyer', type: 'address' },
    { name: 'seller', type: 'address' },
    { name: 'buyerToken', type: 'address' },
    { name: 'sellerToken', type: 'address' },
    { name: 'buyerTokenAmount', type: 'uint256' },
    { name: 'sellerTokenAmount', type: 'uint256' },
    { name: 'caller', type: 'address' },
    { name: 'quoteId', type: 'bytes16' },
    { name: 'deadlineTimestamp', type: 'uint256' },
  ],
  SwapAuthorization: [
    { name: 'ordersHash', type: 'bytes32' },
    { name: 'signaturesHash', type: 'bytes32' },
    { name: 'fallbackHash', type: 'bytes32' },
    { name: 'caller', type: 'address' },
    { name: 'recipient', type: 'address' },
    { name: 'amountIn', type: 'uint256' },
    { name: 'amountOutMinimum', type: 'uint256' },
    { name: 'toWrap', type: 'bool' },
    { name: 'toUnwrap', type: 'bool' },
    { name: 'feeSigner', type: 'address' },
    { name: 'feeRecipient', type: 'address' },
    { name: 'feeRate', type: 'uint256' },
  ],
} as const

/** One router on one chain: a signature for it is worthless anywhere else. */
export type Domain = { readonly chainId: number; readonly router: Address }

/** {@link Domain} as EIP-712 has it. */
export const domainOf = ({ chainId, router }: Domain) =>
  ({ name: 'Ballast SwapRouter', version: '1', chainId, verifyingContract: router }) as const

/** What {@link authorizationTypedData} covers: everything that decides where money goes. */
export type Authorized = {
  readonly orders: readonly SignedOrder[]
  readonly caller: Address
  readonly swap: ExactInput
}

/** The typed data the service signs (`widgetFeeSignature`): orders, signatures, fallbacks, caller, recipient, amounts, fee. */
export function authorizationTypedData(domain: Domain, { orders, caller, swap }: Authorized) {
  return {
    domain: domainOf(domain),
    types: { SwapAuthorization: typedDataTypes.SwapAuthorization },
    primaryType: 'SwapAuthorization',
    message: {
      ordersHash: hashList(orders.map(({ order }) => structHash(order))),
      signaturesHash: hashList(orders.map(({ signature }) => keccak256(signature))),
      fallbackHash: hashList(swap.fallbackSwapDataArray.map((data) => keccak256(data))),
      caller,
      recipient: swap.recipient,
      amountIn: swap.amountIn,
      amountOutMinimum: swap.amountOutMinimum,
      toWrap: swap.toWrap,
      toUnwrap: swap.toUnwrap,
      feeSigner: swap.widgetFee.signer,
      feeRecipient: swap.widgetFee.feeRecipient,
      feeRate: swap.widgetFee.feeRate,
    },
  } as const
}

/** The digest the router consumes: each firm quote settles at most once. The `authorization` of the `Swapped` event. */
export function authorizationHash(domain: Domain, authorized: Authorized): Hex {
  return hashTypedData(authorizationTypedData(domain, authorized))
}

const structHash = (order: Order) =>
  hashStruct({ data: order, types: { Order: typedDataTypes.Order }, primaryType: 'Order' })

const hashList = (hashes: readonly Hex[]) => keccak256(concat(hashes))
