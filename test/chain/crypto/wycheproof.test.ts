import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { publicKeyToAddress } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import type { Hex } from '../../../src/chain/calls/fields.ts'
import { recoverSigner } from '../../../src/chain/crypto/recoverSigner.ts'

const halfOrder = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

const vectors = readFileSync(new URL('wycheproof.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => {
    const [number = '', result = '', key = '', message = '', signature = ''] = line
      .split(' ')
      .map((field) => (field === '-' ? '' : field))
    const hashed = createHash('sha256').update(Buffer.from(message, 'hex')).digest('hex')
    const isLow = signature.length === 128 && BigInt(`0x${signature.slice(64)}`) <= halfOrder
    return {
      number,
      isValid: result === 'valid',
      isLow,
      signature,
      digest: `0x${hashed}` as const,
      address: publicKeyToAddress(`0x${key}`),
    }
  })

/** Whose it may be, by either parity. */
const signers = (digest: Hex, signature: string) =>
  Promise.all(['1b', '1c'].map((v) => recoverSigner(digest, `0x${signature}${v}`)))

describe('recoverSigner: the vectors of Project Wycheproof', () => {
  test('there are valid and invalid ones of either half', () => {
    const count = (isValid: boolean, isLow: boolean) =>
      vectors.filter((one) => one.isValid === isValid && one.isLow === isLow).length
    for (const isValid of [true, false])
      for (const isLow of [true, false]) expect(count(isValid, isLow)).toBeGreaterThan(10)
  })

  test.each(vectors)('$number, valid $isValid, low $isLow', async (vector) => {
    const found = await signers(vector.digest, vector.signature)
    if (vector.isValid && vector.isLow) expect(found).toContain(vector.address)
    else expect(found).not.toContain(vector.address)
    // As the router: not the key's, and nobody else's either.
    if (!vector.isLow) expect(found).toEqual([undefined, undefined])
  })
})
