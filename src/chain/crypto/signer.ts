import type { Address } from '../../core/token.ts'
import type { Hex } from '../calls/fields.ts'

/**
 * A key that signs digests: 65 bytes, low `s`, `v` 27 or 28. A viem account is one.
 *
 * The one place where another engine for the curve fits in; what is signed is made by `createDigests`.
 */
export type DigestSigner = {
  readonly address: Address
  sign(digest: { readonly hash: Hex }): Promise<Hex>
}
