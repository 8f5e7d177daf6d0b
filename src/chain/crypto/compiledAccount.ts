import { hashMessage, hashTypedData, parseSignature, serializeTransaction } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import type { Hex } from '../calls/fields.ts'
import { loadEngine } from './recoverSigner.ts'

/**
 * The account of a plain key, as viem's `privateKeyToAccount` makes one, and with the same signatures: those of RFC 6979
 * with `s` in the lower half. They come from libsecp256k1, which takes a fifth of the time and the same time for every key.
 */
export function compiledAccount(key: Hex): PrivateKeyAccount {
  const bytes = Buffer.from(key.slice(2), 'hex')
  const sign = async (hash: Hex): Promise<Hex> => (await loadEngine()).sign(hash, bytes)
  return {
    ...privateKeyToAccount(key),
    sign: ({ hash }) => sign(hash),
    signMessage: ({ message }) => sign(hashMessage(message)),
    signTypedData: (typed) => sign(hashTypedData(typed)),
    async signTransaction(transaction, { serializer = serializeTransaction } = {}) {
      const { keccak256 } = await loadEngine()
      const unsigned = await serializer(transaction)
      const signature = await sign(keccak256(Buffer.from(unsigned.slice(2), 'hex')))
      return serializer(transaction, parseSignature(signature))
    },
  }
}
