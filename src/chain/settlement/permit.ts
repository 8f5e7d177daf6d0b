import { hashTypedData, parseAbi, type TypedDataDefinition } from 'viem'
import type { Address } from '../../core/token.ts'
import type { Hex } from '../calls/fields.ts'
import { permit2Domain } from './permit2.ts'

/** What EIP-2612 adds to a token, as far as it is read. */
export const permitAbi = parseAbi([
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function PERMIT_TYPEHASH() view returns (bytes32)',
  'function nonces(address owner) view returns (uint256)',
  'function name() view returns (string)',
  'function version() view returns (string)',
])

/** A token's EIP-712 domain. Chain and contract are ours to say, never the token's. */
export type PermitDomain = {
  readonly name: string
  readonly version: string
  readonly chainId: number
  readonly token: Address
}

/** The owner lets the spender take this much, once, until then. */
type Terms = {
  readonly chainId: number
  readonly token: Address
  readonly owner: Address
  readonly spender: Address
  readonly wei: bigint
  /** Each number once: a token takes them in their order, Permit2 in any. */
  readonly nonce: bigint
  /** Unix seconds: the last in which it is taken. */
  readonly deadline: number
}

/** Signed for a token that takes permits itself (EIP-2612). */
export type Eip2612Permit = Terms & PermitDomain & { readonly authorization?: undefined }

/** Signed for Permit2, which then moves the token: for one swap alone, by the digest that the router consumes. */
type TransferPermit = Terms & { readonly authorization: Hex }

export type Permit = Eip2612Permit | TransferPermit

/** A permit as the router is given it: the rest follows from its call. */
export type SignedPermit = SignedTokenPermit | SignedTransfer

type SignedTransfer = {
  readonly nonce: bigint
  readonly deadline: bigint
  readonly signature: Hex
}

type SignedTokenPermit = {
  readonly deadline: bigint
  readonly v: number
  readonly r: Hex
  readonly s: Hex
}

/** Whether a signed permit is one for Permit2. */
export const isTransfer = (signed: SignedPermit | undefined): signed is SignedTransfer =>
  signed !== undefined && 'signature' in signed

/** The typed data that the owner signs. */
export const permitTypedData = (permit: Permit): TypedDataDefinition =>
  permit.authorization === undefined ? tokenTypedData(permit) : transferTypedData(permit)

/** As Permit2 has it, with the swap as its witness. */
function transferTypedData(permit: TransferPermit) {
  const { chainId, token, spender, wei, nonce, deadline, authorization } = permit
  return {
    domain: permit2Domain(chainId),
    types: {
      PermitWitnessTransferFrom: [
        { name: 'permitted', type: 'TokenPermissions' },
        { name: 'spender', type: 'address' },
        { name: 'nonce', type: 'uint256' },
        { name: 'deadline', type: 'uint256' },
        { name: 'authorization', type: 'bytes32' },
      ],
      TokenPermissions: [
        { name: 'token', type: 'address' },
        { name: 'amount', type: 'uint256' },
      ],
    },
    primaryType: 'PermitWitnessTransferFrom',
    message: {
      permitted: { token, amount: wei },
      ...{ spender, nonce, deadline: BigInt(deadline), authorization },
    },
  } as const
}

/** As EIP-2612 has it. */
function tokenTypedData({ owner, spender, wei, nonce, deadline, ...domain }: Eip2612Permit) {
  const { name, version, chainId, token } = domain
  return {
    domain: { name, version, chainId, verifyingContract: token },
    types: {
      Permit: [
        { name: 'owner', type: 'address' },
        { name: 'spender', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'nonce', type: 'uint256' },
        { name: 'deadline', type: 'uint256' },
      ],
    },
    primaryType: 'Permit',
    message: { owner, spender, value: wei, nonce, deadline: BigInt(deadline) },
  } as const
}

/** The digest that names a permit: what was signed, whatever the signature looks like. */
export const permitHash = (permit: Permit): Hex => hashTypedData(permitTypedData(permit))
