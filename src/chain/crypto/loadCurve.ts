/** What this project asks of secp256k1: `signature` is `v - 27` and then 64 bytes, the answer 0x04 and the point. */
type Curve = {
  /** Throws {@link NotOnCurve} for bytes that are no signature. */
  recoverPublicKey(signature: Uint8Array, digest: Uint8Array): Uint8Array
  readonly NotOnCurve: new (...args: never[]) => Error
}

let loaded: Curve | undefined

/**
 * libsecp256k1, compiled to WebAssembly: twenty times as fast as the curve in JavaScript.
 *
 * Loaded by the first who needs it, since it takes some 50 ms and most commands never do. It can be asked for early.
 */
export async function loadCurve(): Promise<Curve> {
  if (loaded === undefined) {
    const { engine, InvalidInputError } = await import('ox/wasm/Secp256k1')
    const { recoverPublicKey } = await engine()
    loaded = { recoverPublicKey, NotOnCurve: InvalidInputError }
  }
  return loaded
}
