import { hashTypedData, parseAbi } from 'viem'
import type { Address } from '../../core/token.ts'
import type { Hex } from '../calls/fields.ts'

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
export type Permit = PermitDomain & {
  readonly owner: Address
  readonly spender: Address
  readonly wei: bigint
  /** The token takes permits of an owner in this order, each number once. */
  readonly nonce: bigint
  /** Unix seconds: the last in which the token takes it. */
  readonly deadline: number
}

/** A permit as the router is given it: the rest follows from its call. */
export type SignedPermit = {
  readonly deadline: bigint
  readonly v: number
  readonly r: Hex
  readonly s: Hex
}

/** The typed data of EIP-2612 that the owner signs. */
export function permitTypedData({ owner, spender, wei, nonce, deadline, ...domain }: Permit) {
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
