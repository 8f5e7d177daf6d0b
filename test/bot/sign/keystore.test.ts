import { chmodSync, mkdtempSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseTransaction } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { beforeEach, describe, expect, test } from 'vitest'
import { createSigner } from '../../../src/bot/sign/createSigner.ts'
import { openKeystore } from '../../../src/bot/sign/keystore/openKeystore.ts'
import { readPassword } from '../../../src/bot/sign/keystore/readPrivateFile.ts'
import { scryptKey } from '../../../src/bot/sign/keystore/scryptKey.ts'
import { writeKeystore } from '../../../src/bot/sign/keystore/writeKeystore.ts'
import { secret } from '../../../src/core/secret.ts'
import { aTransaction } from './aTransaction.ts'
import { cheapKeystore } from './cheapKeystore.ts'

let file: string
beforeEach(() => {
  file = join(mkdtempSync(join(tmpdir(), 'ballast-keystore-')), 'treasury.json')
})

const password = secret('correct horse battery staple')
const key = `0x${'5'.repeat(64)}` as const

/** The scrypt and the PBKDF2 example of the Web3 Secret Storage Definition: password `testpassword`. */
const published = {
  password: secret('testpassword'),
  address: privateKeyToAddress(
    '0x7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d',
  ),
  scrypt: {
    crypto: {
      cipher: 'aes-128-ctr',
      cipherparams: { iv: '83dbcc02d8ccb40e466191a123791e0e' },
      ciphertext: 'd172bf743a674da9cdad04534d56926ef8358534d458fffccd4e6ad2fbde479c',
      kdf: 'scrypt',
      kdfparams: {
        dklen: 32,
        n: 262_144,
        r: 1,
        p: 8,
        salt: 'ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19',
      },
      mac: '2103ac29920d71da29f15d75b4a16dbe95cfd7ff8faea1056c33131d846e3097',
    },
    id: '3198bc9c-6672-5ab3-d995-4942343ae5b6',
    version: 3,
  },
  pbkdf2: {
    crypto: {
      cipher: 'aes-128-ctr',
      cipherparams: { iv: '6087dab2f9fdbbfaddc31a909735c1e6' },
      ciphertext: '5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46',
      kdf: 'pbkdf2',
      kdfparams: {
        c: 262_144,
        dklen: 32,
        prf: 'hmac-sha256',
        salt: 'ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd',
      },
      mac: '517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2',
    },
    id: '3198bc9c-6672-5ab3-d995-4942343ae5b6',
    version: 3,
  },
}

const write = (document: unknown, mode = 0o600) => {
  writeFileSync(file, JSON.stringify(document), { mode })
}

describe('keystore', () => {
  test('what is written opens again and signs', async () => {
    const address = await writeKeystore({ file, password, key: secret(key) })
    expect(address).toBe(privateKeyToAddress(key))
    const text = readFileSync(file, 'utf8')
    expect(text).not.toContain(key.slice(2, 20))
    expect(JSON.parse(text)).toMatchObject({
      version: 3,
      address: address.slice(2).toLowerCase(),
      crypto: { cipher: 'aes-128-ctr', kdf: 'scrypt', kdfparams: { n: 262_144, r: 8, p: 1 } },
    })
    expect(statSync(file).mode & 0o777).toBe(0o600)

    const holder = await openKeystore({ file, password })
    const { raw } = await createSigner(holder, address).sign({
      swapId: 'swap-1',
      kind: 'SWAP',
      transaction: aTransaction,
    })
    expect(parseTransaction(raw)).toMatchObject({ type: 'eip1559', ...aTransaction })
  })

  test('another password does not open it', async () => {
    writeFileSync(file, cheapKeystore(key, password.reveal()), { mode: 0o600 })
    const { address } = await openKeystore({ file, password })
    expect(address).toBe(privateKeyToAddress(key))
    await expect(
      openKeystore({ file, password: secret('another password') }),
    ).rejects.toMatchObject({ code: 'WRONG_PASSWORD', fault: 'usage' })
  })

  test.each(['scrypt', 'pbkdf2'] as const)('the published %s example opens', async (kdf) => {
    write(published[kdf])
    const { address } = await openKeystore({ file, password: published.password })
    expect(address).toBe(published.address)
  })

  test('its scrypt derives what RFC 7914 says', async () => {
    const salt = Buffer.from('SodiumChloride').toString('hex')
    const key = await scryptKey(secret('pleaseletmein'), { n: 16_384, r: 8, p: 1, salt })
    expect(key).toBe('0x7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2')
  })

  test('a damaged ciphertext does not open', async () => {
    const { crypto, ...rest } = published.pbkdf2
    write({ ...rest, crypto: { ...crypto, ciphertext: crypto.ciphertext.replace('5', '6') } })
    await expect(openKeystore({ file, password: published.password })).rejects.toMatchObject({
      code: 'WRONG_PASSWORD',
    })
  })

  test('never over another file, not even through a link', async () => {
    for (const taken of [file, join(file, '..', 'link')]) {
      if (taken !== file) symlinkSync(file, taken)
      else writeFileSync(file, 'mine')
      await expect(writeKeystore({ file: taken, password })).rejects.toMatchObject({
        code: 'FILE_EXISTS',
        fault: 'usage',
      })
    }
    expect(readFileSync(file, 'utf8')).toBe('mine')
  })

  test.each([
    ['no JSON', 'key'],
    ['version 1', { ...published.scrypt, version: 1 }],
    [
      'a cost that takes all memory',
      {
        ...published.scrypt,
        crypto: {
          ...published.scrypt.crypto,
          kdfparams: { ...published.scrypt.crypto.kdfparams, n: 2 ** 30 },
        },
      },
    ],
    [
      'another cipher',
      { ...published.scrypt, crypto: { ...published.scrypt.crypto, cipher: 'none' } },
    ],
  ])('%s: is refused before any work', async (_, document) => {
    write(document)
    await expect(openKeystore({ file, password })).rejects.toMatchObject({
      code: 'KEYSTORE_MALFORMED',
      fault: 'usage',
    })
  })
})

describe('who else may read it', () => {
  test.each([0o640, 0o604, 0o620, 0o644, 0o660, 0o777, 0o601, 0o610])(
    'mode %o: is refused with the cure',
    async (mode) => {
      write(published.scrypt)
      chmodSync(file, mode)
      const refusal = {
        ...{ code: 'FILE_NOT_PRIVATE', summary: expect.stringContaining('chmod 600') },
        facts: { file, mode: mode.toString(8) },
      }
      await expect(openKeystore({ file, password })).rejects.toMatchObject(refusal)
      expect(() => readPassword(file)).toThrow(expect.objectContaining(refusal))
    },
  )

  test('a password file: one newline at the end is not the password', () => {
    for (const [text, found] of [
      ['pass word', 'pass word'],
      ['pass word\n', 'pass word'],
      ['pass word\r\n', 'pass word'],
      ['pass word \n\n', 'pass word \n'],
    ] as const) {
      writeFileSync(file, text, { mode: 0o600 })
      expect(readPassword(file).reveal()).toBe(found)
    }
  })

  test('a file of 64 KiB is read, and one of a byte more is no key', () => {
    const password = 'x'.repeat(64 * 1024)
    writeFileSync(file, password, { mode: 0o600 })
    expect(readPassword(file).reveal()).toBe(password)
    writeFileSync(file, `${password}x`, { mode: 0o600 })
    expect(() => readPassword(file)).toThrow(expect.objectContaining({ code: 'FILE_UNREADABLE' }))
  })

  test('an empty password file, a folder and nothing at all are refused', () => {
    writeFileSync(file, '\n', { mode: 0o600 })
    expect(() => readPassword(file)).toThrow(expect.objectContaining({ code: 'PASSWORD_MISSING' }))
    for (const path of [join(file, '..'), join(file, '..', 'none')])
      expect(() => readPassword(path)).toThrow(expect.objectContaining({ code: 'FILE_UNREADABLE' }))
  })
})
