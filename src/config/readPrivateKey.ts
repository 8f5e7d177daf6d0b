import { type Secret, secret } from '../core/secret.ts'

/** The order of the curve: a private key is below it. */
const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/** Reads a private key; undefined when it is none. Whatever it is, it is a secret from here on. */
export function readPrivateKey(value: string): Secret | undefined {
  secret(value)
  const digits = value.trim().replace(/^0x/i, '').toLowerCase()
  if (!/^[0-9a-f]{64}$/.test(digits)) return undefined
  const number = BigInt(`0x${digits}`)
  if (number === 0n || number >= curveOrder) return undefined
  return secret(`0x${digits}`)
}
