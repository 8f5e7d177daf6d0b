import fc from 'fast-check'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { compiledAccount } from '../../../src/chain/crypto/compiledAccount.ts'
import { loadEngine } from '../../../src/chain/crypto/recoverSigner.ts'

const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const word = (value: bigint) => `0x${value.toString(16).padStart(64, '0')}` as const
const key = fc.bigInt({ min: 1n, max: curveOrder - 1n }).map(word)
const digest = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map(word)
const uint = (bits: bigint) => fc.bigInt({ min: 0n, max: 2n ** bits - 1n })
const hex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString('hex')}` as const
const address = fc.uint8Array({ minLength: 20, maxLength: 20 }).map(hex)
const transaction = fc.record({
  type: fc.constant('eip1559' as const),
  chainId: fc.integer({ min: 1, max: 2 ** 31 }),
  nonce: fc.nat(),
  to: address,
  data: fc.uint8Array({ maxLength: 400 }).map(hex),
  value: uint(128n),
  gas: uint(40n),
  maxFeePerGas: uint(64n),
})

// A sample, by count: `npm run test:signatures` takes 20,000.
const runs = Number(process.env.SIGNATURES ?? 200)
const timeout = 60_000 + runs * 80

describe('compiledAccount: the bytes that viem signs', () => {
  test(`${runs} digests of random keys`, { timeout }, async () => {
    await fc.assert(
      fc.asyncProperty(key, digest, async (key, hash) => {
        const [own, other] = [compiledAccount(key), privateKeyToAccount(key)]
        expect(own.address).toBe(other.address)
        expect(await own.sign({ hash })).toBe(await other.sign({ hash }))
      }),
      { numRuns: runs },
    )
  })

  test.each([1n, 2n, curveOrder / 2n, curveOrder / 2n + 1n, curveOrder - 1n])(
    'at the edges of the curve: key %s',
    async (number) => {
      const [own, other] = [compiledAccount(word(number)), privateKeyToAccount(word(number))]
      for (const edge of [0n, 1n, curveOrder - 1n, curveOrder, curveOrder + 1n, 2n ** 256n - 1n])
        expect(await own.sign({ hash: word(edge) })).toBe(await other.sign({ hash: word(edge) }))
    },
  )

  test('transactions, texts and typed data', { timeout }, async () => {
    await fc.assert(
      fc.asyncProperty(key, transaction, fc.string(), async (key, transaction, message) => {
        const [own, other] = [compiledAccount(key), privateKeyToAccount(key)]
        const typed = {
          domain: { name: message, chainId: transaction.chainId },
          types: { Note: [{ name: 'words', type: 'string' }] },
          primaryType: 'Note',
          message: { words: message },
        } as const
        expect(await own.signTransaction(transaction)).toBe(
          await other.signTransaction(transaction),
        )
        expect(await own.signMessage({ message })).toBe(await other.signMessage({ message }))
        expect(await own.signTypedData(typed)).toBe(await other.signTypedData(typed))
      }),
      { numRuns: Math.ceil(runs / 4) },
    )
  })
})

describe('the compiled curve refuses', () => {
  test.each([0n, curveOrder, 2n ** 256n - 1n])('a key that is none: %s', async (number) => {
    const { sign } = await loadEngine()
    const bytes = Buffer.from(word(number).slice(2), 'hex')
    expect(() => sign(word(1n), bytes)).toThrow('invalid input')
  })

  test('a digest that is not 32 bytes', async () => {
    await expect(compiledAccount(word(1n)).sign({ hash: '0x12' })).rejects.toThrow('32 bytes')
  })
})
