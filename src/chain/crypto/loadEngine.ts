import type { Hex } from '../calls/fields.ts'

/** The arithmetic of signatures in WebAssembly. */
export type Engine = {
  /** `signature` is `v - 27` and then 64 bytes; the answer 0x04 and the point. Throws {@link NotOnCurve}. */
  recoverPublicKey(signature: Uint8Array, digest: Uint8Array): Uint8Array
  /** What is thrown for bytes that are no signature of anybody's. */
  readonly NotOnCurve: new (
    ...args: never[]
  ) => Error
  keccak256(bytes: Uint8Array): Hex
}

let loaded: Engine | undefined

/**
 * libsecp256k1 and keccak, compiled: twenty and ten times as fast as in JavaScript.
 *
 * Loaded by the first who needs it, since it takes some 60 ms and most commands never do. It can be asked for early.
 */
export async function loadEngine(): Promise<Engine> {
  if (loaded === undefined) {
    const [secp256k1, hash] = await Promise.all([
      import('ox/wasm/Secp256k1'),
      import('ox/wasm/Hash'),
    ])
    const [{ recoverPublicKey }, { keccak256 }] = await Promise.all([
      secp256k1.engine(),
      hash.engine(),
    ])
    loaded = {
      recoverPublicKey,
      NotOnCurve: secp256k1.InvalidInputError,
      keccak256: (bytes) => `0x${Buffer.from(keccak256(bytes)).toString('hex')}`,
    }
  }
  return loaded
}
