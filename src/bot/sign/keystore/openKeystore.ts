import * as Keystore from 'ox/Keystore'
import { z } from 'zod'
import { ballastError } from '../../../core/errors.ts'
import { type Secret, secret } from '../../../core/secret.ts'
import type { KeyHolder } from '../createSigner.ts'
import { localKey } from '../localKey.ts'
import { readPrivateFile } from './readPrivateFile.ts'
import { isForOpenssl, scryptKey } from './scryptKey.ts'

const hex = (bytes: number) => z.string().regex(new RegExp(`^[0-9a-fA-F]{${2 * bytes}}$`))
const salt = z.string().regex(/^(?:[0-9a-fA-F]{2}){1,64}$/)

/** The bounds keep a made-up file from taking all memory, or a day. */
const kdf = z.discriminatedUnion('kdf', [
  z.object({
    kdf: z.literal('scrypt'),
    kdfparams: z.object({
      dklen: z.literal(32),
      n: z
        .int()
        .min(2 ** 10)
        .max(2 ** 20)
        .refine((n) => Number.isInteger(Math.log2(n))),
      r: z.int().min(1).max(8),
      p: z.int().min(1).max(16),
      salt,
    }),
  }),
  z.object({
    kdf: z.literal('pbkdf2'),
    kdfparams: z.object({
      dklen: z.literal(32),
      c: z.int().min(1).max(10_000_000),
      prf: z.literal('hmac-sha256'),
      salt,
    }),
  }),
])

const keystore = z.object({
  version: z.literal(3),
  id: z.string().max(64),
  crypto: z
    .object({
      cipher: z.literal('aes-128-ctr'),
      ciphertext: hex(32),
      cipherparams: z.object({ iv: hex(16) }),
      mac: hex(32),
    })
    .and(kdf),
})

type Locked = z.infer<typeof keystore>

/** Opens a V3 keystore. Takes about a second: deriving the key from the password is meant to be slow. */
export async function openKeystore({
  file,
  password,
}: {
  file: string
  password: Secret
}): Promise<KeyHolder> {
  const locked = readKeystore(file)
  const derived = await derivedKey(locked, password)
  return localKey(secret(decrypted(locked, derived, file)))
}

function derivedKey(locked: Locked, password: Secret): Promise<Keystore.Key> {
  const { crypto } = locked
  return crypto.kdf === 'scrypt' && isForOpenssl(crypto.kdfparams)
    ? scryptKey(password, crypto.kdfparams)
    : Keystore.toKeyAsync(locked, { password: password.reveal() })
}

function readKeystore(file: string): Locked {
  const text = readPrivateFile(file, 'keystore')
  try {
    return keystore.parse(JSON.parse(text))
  } catch (cause) {
    throw ballastError(
      'KEYSTORE_MALFORMED',
      'The file is no V3 keystore.',
      { file, cure: "'ballast key new' and 'ballast key import' write one" },
      cause,
    )
  }
}

function decrypted(locked: Locked, derived: Keystore.Key, file: string): string {
  try {
    return Keystore.decrypt(locked, derived)
  } catch (cause) {
    throw ballastError(
      'WRONG_PASSWORD',
      'The password does not open the keystore.',
      { file },
      cause,
    )
  }
}
