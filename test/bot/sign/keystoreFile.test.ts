import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, test, vi } from 'vitest'
import { openKeystore } from '../../../src/bot/sign/keystore/openKeystore.ts'
import { writeKeystore } from '../../../src/bot/sign/keystore/writeKeystore.ts'
import { secret } from '../../../src/core/secret.ts'

const wouldDerive = () => {
  throw new Error('the key would be derived')
}
/** Keys that would take all memory to derive: instead, an error. Of a new one, what the test says. */
const work = vi.hoisted(() => ({ derive: (): unknown => undefined }))
vi.mock(import('../../../src/bot/sign/keystore/scryptKey.ts'), async (original) => ({
  ...(await original()),
  scryptKey: (async () => work.derive()) as never,
}))
vi.mock(import('ox/Keystore'), async (original) => ({
  ...(await original()),
  toKeyAsync: (async () => work.derive()) as never,
  encrypt: ((_: unknown, key: unknown, options: unknown) => ({ key, options })) as never,
}))

const disk = vi.hoisted(() => ({ done: [] as string[], open: 0 }))
vi.mock('node:fs', async (original) => {
  const real = await original<typeof import('node:fs')>()
  return {
    ...real,
    openSync(...how: Parameters<typeof real.openSync>) {
      disk.open += 1
      return real.openSync(...how)
    },
    closeSync(descriptor: number) {
      disk.open -= 1
      real.closeSync(descriptor)
    },
    fsyncSync(descriptor: number) {
      disk.done.push(real.fstatSync(descriptor).isDirectory() ? 'sync directory' : 'sync')
    },
  }
})
beforeEach(() => {
  Object.assign(disk, { done: [], open: 0 })
  work.derive = wouldDerive
})

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
  await openKeystore({ file, password: secret('password') }).finally(() =>
    expect(disk.open).toBe(0),
  )
}

test.for(['scrypt', 'pbkdf2'] as const)('the dearest keystore of %s is opened', (kdf) =>
  expect(open({ kdf })).rejects.toThrow('the key would be derived'),
)

test('the cheapest keystore of scrypt is opened', () =>
  expect(open({ params: { n: 2 ** 10, r: 1, p: 1 } })).rejects.toThrow('the key would be derived'))

test.for<Parts>([
  ...[
    ...[{ n: 2 ** 21 }, { n: 2 ** 20 - 1 }, { n: 2 ** 9 }, { r: 9 }, { r: 0 }, { p: 17 }, { p: 0 }],
    ...[{ dklen: 31 }, { dklen: 33 }, { salt: hex(65) }],
  ].map((params) => ({ params })),
  ...[{ c: 10_000_001 }, { c: 0 }, { dklen: 31 }, { dklen: 33 }].map(
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

const aFile = () => join(mkdtempSync(join(tmpdir(), 'ballast-keystore-')), 'keystore.json')
const write = (file: string) =>
  writeKeystore({ file, password: secret('password'), key: secret(`0x${'5'.repeat(64)}`) })

const cost = { dklen: 32, n: 262_144, r: 8, p: 1 }

test('a new keystore and its name are on the disk itself', async () => {
  const file = aFile()
  work.derive = () => 'derived'
  const address = await write(file)
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
    ...{ address: address.slice(2).toLowerCase(), key: 'derived' },
    options: {
      iv: expect.objectContaining({ data: expect.any(Array) }),
      ...{ kdf: 'scrypt', kdfparams: { ...cost, salt: expect.stringMatching(/^[0-9a-f]{64}$/) } },
    },
  })
  expect(disk).toEqual({ done: ['sync', 'sync directory'], open: 0 })
})

test.each([false, true])('of one that fails nothing is left, gone already: %s', async (isGone) => {
  const file = aFile()
  work.derive = () => {
    if (isGone) rmSync(file)
    throw new Error('out of memory')
  }
  await expect(write(file)).rejects.toThrow('out of memory')
  expect(existsSync(file)).toBe(false)
  expect(disk).toEqual({ done: [], open: 0 })
})
