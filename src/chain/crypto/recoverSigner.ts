import { recoverAddress } from 'viem'
import type { Address } from '../../core/token.ts'
import type { Hex } from '../calls/fields.ts'

/** Half of the curve's order. Above it anybody could derive a second form of a signature, and the router refuses it. */
const halfOrder = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

/**
 * Whose key signed a digest, by the rules of the router: 65 bytes, `s` in the lower half, `v` 27 or 28.
 * Undefined for whatever the router would refuse.
 */
export async function recoverSigner(digest: Hex, signature: Hex): Promise<Address | undefined> {
  if (!/^0x[0-9a-fA-F]{128}1[bBcC]$/.test(signature)) return undefined
  if (BigInt(`0x${signature.slice(66, 130)}`) > halfOrder) return undefined
  try {
    return await recoverAddress({ hash: digest, signature })
  } catch {
    // Numbers that are on no curve: a malformed signature, not a failure of ours.
    return undefined
  }
}
