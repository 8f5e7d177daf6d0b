import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import * as Keystore from 'ox/Keystore'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import type { Hex } from '../../../chain/calls/fields.ts'
import { ballastError } from '../../../core/errors.ts'
import { type Secret, secret } from '../../../core/secret.ts'
import type { Address } from '../../../core/token.ts'
import { scryptKey } from './scryptKey.ts'

/** geth's own cost: 256 MiB and about a second for each guess. */
const cost = { n: 262_144, r: 8, p: 1 }

/** Encrypts a key, or a new one, into a file of mode 0600 that did not exist. On disk when it returns. */
export async function writeKeystore({
  file,
  password,
  key = secret(generatePrivateKey()),
}: {
  file: string
  password: Secret
  key?: Secret
}): Promise<Address> {
  const privateKey = key.reveal() as Hex
  const address = privateKeyToAddress(privateKey)
  // Claimed before the second of work, so that a name already taken fails at once.
  const descriptor = createFile(file)
  try {
    const kdfparams = { dklen: 32, ...cost, salt: randomBytes(32).toString('hex') }
    const options = { iv: randomBytes(16), kdf: 'scrypt', kdfparams } as const
    const locked = Keystore.encrypt(privateKey, await scryptKey(password, kdfparams), options)
    // Other programs list a keystore by this field.
    const text = JSON.stringify({ address: address.slice(2).toLowerCase(), ...locked })
    writeSync(descriptor, `${text}\n`)
    fsyncSync(descriptor)
  } catch (error) {
    rmSync(file, { force: true })
    throw error
  } finally {
    closeSync(descriptor)
  }
  syncDirectory(dirname(file))
  return address
}

function createFile(file: string): number {
  try {
    return openSync(file, 'wx', 0o600)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    const taken = code === 'EEXIST'
    throw taken
      ? ballastError(
          'FILE_EXISTS',
          'The file exists already and stays as it is; --out names another.',
          { file },
          cause,
        )
      : ballastError(
          'FILE_NOT_WRITTEN',
          'The file cannot be written.',
          { file, reason: code },
          cause,
        )
  }
}

/** A new name is durable when its directory is. */
function syncDirectory(directory: string): void {
  const descriptor = openSync(directory, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
