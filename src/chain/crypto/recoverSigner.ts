import { getAddress, keccak256 as plainKeccak } from 'viem'
import { assert } from '../../core/assert.ts'
import type { Address } from '../../core/token.ts'
import type { Hex } from '../calls/fields.ts'

/** Half of the curve's order. Above it any party could derive a second form of a signature; the router refuses it. */
const halfOrder = '7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0'

/**
 * Whose key signed a digest, by the rules of the router: 65 bytes, `s` in the lower half, `v` 27 or 28.
 * Undefined for whatever the router would refuse.
 */
export async function recoverSigner(digest: Hex, signature: Hex): Promise<Address | undefined> {
  const hashed = bytesOf(digest)
  if (!/^0x[0-9a-fA-F]{128}1[bBcC]$/.test(signature)) return undefined
  // Of one length and one case, hex compares as the numbers do.
  if (signature.slice(66, 130).toLowerCase() > halfOrder) return undefined
  const v = signature.endsWith('1b') || signature.endsWith('1B') ? '00' : '01'
  const { recoverPublicKey, NotOnCurve, keccak256 } = await loadEngine()
  try {
    const publicKey = recoverPublicKey(Buffer.from(v + signature.slice(2, 130), 'hex'), hashed)
    return getAddress(`0x${keccak256(publicKey.subarray(1)).slice(26)}`)
  } catch (error) {
    // Numbers that are on no curve: a malformed signature, not a failure of ours.
    if (error instanceof NotOnCurve) return undefined
    throw error
  }
}

/** The arithmetic of signatures in WebAssembly. */
type Engine = {
  /** `signature` is `v - 27` and then 64 bytes; the answer 0x04 and the point. Throws {@link NotOnCurve}. */
  recoverPublicKey(signature: Uint8Array, digest: Uint8Array): Uint8Array
  /** The error for bytes that are no valid signature. */
  readonly NotOnCurve: new (
    ...args: never[]
  ) => Error
  /** 65 bytes, low `s`, `v` 27 or 28; deterministic, as RFC 6979 has it. */
  sign(digest: Hex, key: Uint8Array): Hex
  keccak256(bytes: Uint8Array): Hex
}

/** What is signed is a hash already, and nothing random comes into it. */
const asItIs = { prehash: false, extraEntropy: false } as const

function bytesOf(digest: Hex): Buffer {
  assert(/^0x[0-9a-fA-F]{64}$/.test(digest), 'a digest has 32 bytes')
  return Buffer.from(digest.slice(2), 'hex')
}

let loaded: Engine | undefined

/**
 * libsecp256k1 and keccak, compiled: twenty and ten times as fast as in JavaScript.
 *
 * Loaded by the first caller that needs it, since it takes some 60 ms and most commands never do. It can be requested
 * early.
 */
export async function loadEngine(): Promise<Engine> {
  if (loaded === undefined) {
    const [secp256k1, hash] = await Promise.all([
      import('ox/wasm/Secp256k1'),
      import('ox/wasm/Hash'),
    ])
    const [{ recoverPublicKey, sign }, { keccak256 }] = await Promise.all([
      secp256k1.engine(),
      hash.engine(),
    ])
    loaded = {
      recoverPublicKey,
      NotOnCurve: secp256k1.InvalidInputError,
      sign(digest, key) {
        const signature = Buffer.from(sign(bytesOf(digest), key, asItIs))
        return `0x${signature.toString('hex', 1)}${signature[0] === 0 ? '1b' : '1c'}`
      },
      keccak256: (bytes) => `0x${Buffer.from(keccak256(bytes)).toString('hex')}`,
    }
  }
  return loaded
}

/** The compiled hash where it is loaded, and until then viem's: for a caller that cannot wait. */
export const keccakAtHand: Engine['keccak256'] = (bytes) =>
  loaded?.keccak256(bytes) ?? plainKeccak(bytes)
