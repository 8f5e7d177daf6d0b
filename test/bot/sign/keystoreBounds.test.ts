import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { openKeystore } from '../../../src/bot/sign/keystore/openKeystore.ts'
import { secret } from '../../../src/core/secret.ts'

/** Keystores whose keys would take all memory: the derivation is stood in for by an error. */
vi.mock(import('ox/Keystore'), async (original) => ({
  ...(await original()),
  toKeyAsync: async () => {
    throw new Error('the key would be derived')
  },
}))

const hex = (bytes: number) => 'ab'.repeat(bytes)
type Parts = {
  readonly top?: object
  readonly crypto?: object
  readonly kdf?: 'scrypt' | 'pbkdf2'
  readonly params?: object
}
const costs = {
  scrypt: { dklen: 32, n: 2 ** 20, r: 8, p: 16, salt: hex(64) },
  pbkdf2: { dklen: 32, c: 10_000_000, prf: 'hmac-sha256', salt: hex(1) },
}

async function open({ top, crypto, kdf = 'scrypt', params }: Parts): Promise<void> {
  const file = join(mkdtempSync(join(tmpdir(), 'ballast-keystore-')), 'keystore.json')
  const document = {
    ...{ version: 3, id: 'x'.repeat(64), ...top },
    crypto: {
      ...{ cipher: 'aes-128-ctr', ciphertext: hex(32), cipherparams: { iv: hex(16) } },
      ...{ mac: hex(32), kdf, kdfparams: { ...costs[kdf], ...params }, ...crypto },
    },
  }
  writeFileSync(file, JSON.stringify(document), { mode: 0o600 })
  await openKeystore({ file, password: secret('password') })
}

test.for(['scrypt', 'pbkdf2'] as const)('the dearest keystore of %s is opened', (kdf) =>
  expect(open({ kdf })).rejects.toThrow('the key would be derived'),
)

test.for<Parts>([
  ...[{ n: 2 ** 20 + 1 }, { r: 9 }, { p: 17 }, { dklen: 31 }, { dklen: 33 }, { salt: hex(65) }].map(
    (params) => ({ params }),
  ),
  ...[{ c: 10_000_001 }, { dklen: 31 }, { dklen: 33 }].map(
    (params) => ({ kdf: 'pbkdf2', params }) as const,
  ),
  ...[{ version: 2 }, { version: 4 }, { id: 'x'.repeat(65) }].map((top) => ({ top })),
  ...[31, 33].flatMap((bytes) => [
    { crypto: { ciphertext: hex(bytes) } },
    { crypto: { mac: hex(bytes) } },
    { crypto: { cipherparams: { iv: hex(bytes - 16) } } },
  ]),
])('%j is beyond the bounds', (parts) =>
  expect(open(parts)).rejects.toMatchObject({ code: 'KEYSTORE_MALFORMED' }),
)
