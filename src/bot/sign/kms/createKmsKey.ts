import type { KeyObject } from 'node:crypto'
import { isSea } from 'node:sea'
import * as Secp256k1 from 'ox/Secp256k1'
import * as Signature from 'ox/Signature'
import {
  bytesToHex,
  hashMessage,
  keccak256,
  numberToHex,
  recoverAddress,
  serializeSignature,
  serializeTransaction,
  toBytes,
} from 'viem'
import { publicKeyToAddress } from 'viem/accounts'
import type { Hex } from '../../../chain/calls/fields.ts'
import { permitHash } from '../../../chain/settlement/permit.ts'
import { type BallastError, ballastError } from '../../../core/errors.ts'
import { sameAddress } from '../../../core/token.ts'
import type { KeyHolder } from '../createSigner.ts'

const order = Secp256k1.noble.Point.Fn.ORDER

/**
 * A key that a cloud's KMS never lets out: it signs digests, in DER.
 *
 * What it leaves to us: the address, the lower of the two forms of `s`, and the parity, which both tries find.
 * Checksums of the transport are not needed: what recovers to the address is right.
 */
export function createKmsKey({
  publicKey,
  signDigest,
  close,
}: {
  publicKey: KeyObject
  /** A DER signature of these 32 bytes. */
  signDigest: (digest: Uint8Array) => Promise<Uint8Array>
  close: () => Promise<void>
}): KeyHolder {
  const address = addressOf(publicKey)
  const sign = async (hash: Uint8Array) => {
    const { r, s } = read(await signDigest(hash))
    for (const yParity of [0, 1] as const) {
      const signature = { r, s, yParity }
      const signer = await recoverAddress({ hash, signature }).catch(() => undefined)
      if (signer !== undefined && sameAddress(signer, address)) return signature
    }
    throw ballastError('SIGNED_DIFFERS', 'The signer answered with a signature of another key.', {
      field: 'from',
      asked: address,
    })
  }
  return {
    address,
    close,
    async signTransaction(transaction) {
      const hash = keccak256(serializeTransaction(transaction), 'bytes')
      return serializeTransaction(transaction, await sign(hash))
    },
    signPermit: async (permit) => serializeSignature(await sign(toBytes(permitHash(permit)))),
    signMessage: async (message) => serializeSignature(await sign(hashMessage(message, 'bytes'))),
  }
}

function addressOf(publicKey: KeyObject) {
  const curve = publicKey.asymmetricKeyDetails?.namedCurve
  if (curve !== 'secp256k1')
    throw ballastError(
      'WRONG_KEY_TYPE',
      'The key of wallet.signer is on another curve than Ethereum’s.',
      { expected: 'secp256k1', actual: curve ?? publicKey.asymmetricKeyType },
    )
  // The point, uncompressed, is the last of what an SPKI holds.
  return publicKeyToAddress(
    bytesToHex(publicKey.export({ type: 'spki', format: 'der' }).subarray(-65)),
  )
}

function read(der: Uint8Array): { r: Hex; s: Hex } {
  try {
    const { r, s } = Signature.fromDerBytes(der)
    const number = BigInt(s)
    const lower = number > order / 2n ? order - number : number
    return { r, s: numberToHex(lower) }
  } catch (cause) {
    throw ballastError(
      'SIGNED_GARBLED',
      'The signer answered with what is no signature.',
      {},
      cause,
    )
  }
}

/** The client of a KMS is optional: most wallets need none of them. */
export function missingLibrary(name: string, cause: unknown): BallastError {
  const remedy = isSea()
    ? `and an executable has no packages: npm install -g ballast-bot ${name}, and run that ballast`
    : `which is not installed: npm install ${name}`
  return ballastError(
    'SIGNER_LIBRARY_MISSING',
    `wallet.signer needs the package ${name}, ${remedy}`,
    {},
    cause,
  )
}
