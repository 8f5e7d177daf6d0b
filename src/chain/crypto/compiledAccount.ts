import { createECDH } from 'node:crypto'
import { hashMessage, hashTypedData, parseSignature, serializeTransaction } from 'viem'
import {
  type LocalAccount,
  type PrivateKeyAccount,
  publicKeyToAddress,
  toAccount,
} from 'viem/accounts'
import type { Hex } from '../calls/fields.ts'
import { loadEngine } from './recoverSigner.ts'

type CompiledAccount = LocalAccount & Pick<PrivateKeyAccount, 'sign'>

/**
 * The account of a plain key, as viem's `privateKeyToAccount` makes one, and with the same signatures: those of RFC 6979
 * with `s` in the lower half. They come from libsecp256k1, which takes a fifth of the time and the same time for every key;
 * the address comes from OpenSSL, because viem first computes a table that pays off after many keys.
 */
export function compiledAccount(key: Hex): CompiledAccount {
  const bytes = Buffer.from(key.slice(2), 'hex')
  const curve = createECDH('secp256k1')
  curve.setPrivateKey(bytes)
  const sign = async (hash: Hex): Promise<Hex> => (await loadEngine()).sign(hash, bytes)
  const account = toAccount({
    address: publicKeyToAddress(`0x${curve.getPublicKey('hex')}`),
    signMessage: ({ message }) => sign(hashMessage(message)),
    signTypedData: (typed) => sign(hashTypedData(typed)),
    async signTransaction(transaction, { serializer = serializeTransaction } = {}) {
      const { keccak256 } = await loadEngine()
      const unsigned = await serializer(transaction)
      const signature = await sign(keccak256(Buffer.from(unsigned.slice(2), 'hex')))
      return serializer(transaction, parseSignature(signature))
    },
  })
  return { ...account, sign: ({ hash }) => sign(hash) }
}
