import { concat, domainSeparator, keccak256, pad, parseAbi, toHex } from 'viem'
import type { Address } from '../../core/token.ts'
import type { Hex } from '../calls/fields.ts'

/** Where Uniswap's Permit2 is on every chain that has it: the address follows from its code. */
export const permit2Address: Address = '0x000000000022D473030F116dDEE9F6B43aC78BA3'

/** The salt that gave it this address. */
export const permit2Salt: Hex = pad('0xd3af2663da51c10215000000', { size: 32 })

/** What is read of it. */
export const permit2Abi = parseAbi([
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function nonceBitmap(address owner, uint256 word) view returns (uint256)',
])

/** Its EIP-712 domain, which has no version. */
export const permit2Domain = (chainId: number) =>
  ({ name: 'Permit2', chainId, verifyingContract: permit2Address }) as const

/** Its code, once the two values that differ between chains are taken out. */
const codeHash: Hex = '0x463331fa7a0d5f07488e42c37b461bb56a822145c161a821fbafe7d4e916b546'

/** Bytes of its code before those two values. */
const chainIdAt = 6_945
const separatorAt = 6_983

/**
 * Whether a chain's code at its address is Permit2, byte for byte. All that differs between chains is what its constructor
 * wrote into it: the chain's number and the domain for it. Those must be ours.
 */
export function isPermit2(code: Hex, chainId: number): boolean {
  const separator = domainSeparator({ domain: permit2Domain(chainId) })
  return (
    wordAt(code, chainIdAt) === toHex(chainId, { size: 32 }) &&
    wordAt(code, separatorAt) === separator &&
    keccak256(blank(blank(code, chainIdAt), separatorAt)) === codeHash
  )
}

const wordAt = (code: Hex, byte: number): string => `0x${code.slice(2 + 2 * byte, 66 + 2 * byte)}`

const blank = (code: Hex, byte: number): Hex =>
  `${code.slice(0, 2 + 2 * byte)}${'0'.repeat(64)}${code.slice(66 + 2 * byte)}` as Hex

/** Nonces have no order: each is one bit of one word. */
export const nonceBit = (nonce: bigint) => ({ word: nonce >> 8n, bit: 1n << (nonce & 0xffn) })

/** Where it notes a nonce of an owner: the first of its state is a map by owner and word. */
export const nonceSlotOf = (owner: Address, nonce: bigint): Hex =>
  keccak256(
    concat([
      toHex(nonceBit(nonce).word, { size: 32 }),
      keccak256(concat([pad(owner, { size: 32 }), toHex(0, { size: 32 })])),
    ]),
  )
