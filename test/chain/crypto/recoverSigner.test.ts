import fc from 'fast-check'
import { hashTypedData, recoverAddress } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import type { Hex } from '../../../src/chain/calls/fields.ts'
import { createDigests } from '../../../src/chain/crypto/createDigests.ts'
import { recoverSigner } from '../../../src/chain/crypto/recoverSigner.ts'
import type { DigestSigner } from '../../../src/chain/crypto/signer.ts'
import type { Order } from '../../../src/chain/settlement/order.ts'
import { orderTypedData } from '../../support/orderTypedData.ts'

const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const hash32 = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((value) => `0x${Buffer.from(value).toString('hex')}` as const)
const key = fc
  .bigInt({ min: 1n, max: curveOrder - 1n })
  .map((value) => `0x${value.toString(16).padStart(64, '0')}` as const)

const account = privateKeyToAccount(`0x${'1'.repeat(64)}`)
const signer: DigestSigner = account
const hash = `0x${'2'.repeat(64)}` as const

/** The rules of the router over another implementation of the curve, which shares no line with ours. */
async function reference(digest: Hex, signature: Hex): Promise<Hex | undefined> {
  if (signature.length !== 132 || !/1[bc]$/i.test(signature)) return undefined
  if (BigInt(`0x${signature.slice(66, 130)}`) > curveOrder / 2n) return undefined
  try {
    return await recoverAddress({ hash: digest, signature: signature.toLowerCase() as Hex })
  } catch {
    // It has no other way to say that these bytes are on no curve.
    return undefined
  }
}
const word = (value: bigint) => value.toString(16).padStart(64, '0')
const fieldPrime = 2n ** 256n - 2n ** 32n - 977n
const generatorX = 0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798n

// A sample, by count: `npm run test:signatures` takes 20,000.
const signatures = Number(process.env.SIGNATURES ?? 200)
/** Only a hang takes as long: ten times a quiet core, where one takes 8 ms. */
const timeout = 60_000 + signatures * 80

describe('recoverSigner: as viem recovers', () => {
  test(`${signatures} random signatures, each with one thing changed`, { timeout }, async () => {
    const seen = { somebody: 0, nobody: 0 }
    const bent = fc.record({
      key,
      digest: hash32,
      part: fc.constantFrom('nothing', 'digest', 'r', 's', 'v', 'bit', 'case', 'mirror'),
      by: fc.bigInt({ min: 1n, max: 2n ** 256n - 1n }),
      at: fc.nat({ max: 64 * 8 - 1 }),
    })
    await fc.assert(
      fc.asyncProperty(bent, async ({ key: privateKey, digest, part, by, at }) => {
        const signature = await privateKeyToAccount(privateKey).sign({ hash: digest })
        const r = signature.slice(2, 66)
        const s = signature.slice(66, 130)
        const v = signature.slice(130)
        const flipped = BigInt(`0x${r}${s}`) ^ (1n << BigInt(at))
        const bytes = {
          nothing: signature,
          digest: signature,
          r: `0x${word(by)}${s}${v}`,
          s: `0x${r}${word(by)}${v}`,
          v: `0x${r}${s}${v === '1b' ? '1c' : '1b'}`,
          bit: `0x${flipped.toString(16).padStart(128, '0')}${v}`,
          case: `0x${signature.slice(2).toUpperCase()}`,
          mirror: `0x${r}${word(curveOrder - BigInt(`0x${s}`))}${v === '1b' ? '1c' : '1b'}`,
        }[part] as Hex
        const over = part === 'digest' ? (`0x${word(by)}` as const) : digest
        const got = await recoverSigner(over, bytes)
        expect(got).toBe(await reference(over, bytes))
        seen[got === undefined ? 'nobody' : 'somebody'] += 1
      }),
      { numRuns: signatures },
    )
    expect(seen.somebody).toBeGreaterThan(signatures / 4)
    expect(seen.nobody).toBeGreaterThan(signatures / 10)
  })

  test('every pair of numbers at the edges of the curve, under every v', async () => {
    const edges = [0n, 1n, 2n, 5n, generatorX, curveOrder / 2n, curveOrder / 2n + 1n]
    const beyond = [curveOrder - 1n, curveOrder, curveOrder + 1n, fieldPrime, 2n ** 256n - 1n]
    const vs = ['00', '01', '1a', '1b', '1c', '1d', '1e', 'ff']
    const digests = [0n, 1n, curveOrder, 2n ** 256n - 1n].map((value) => `0x${word(value)}` as Hex)
    let somebody = 0
    for (const r of [...edges, ...beyond])
      for (const s of [...edges, ...beyond])
        for (const v of vs)
          for (const digest of digests) {
            const signature = `0x${word(r)}${word(s)}${v}` as Hex
            const got = await recoverSigner(digest, signature)
            expect(got, `${digest} ${signature}`).toBe(await reference(digest, signature))
            if (got !== undefined) somebody += 1
          }
    expect(somebody).toBeGreaterThan(50)
  })

  test('a signature whose key would be the point at infinity', async () => {
    // R is the generator and s the digest, so that s·R - z·G is nothing.
    for (const s of [1n, 2n, 12_345n])
      for (const v of ['1b', '1c']) {
        const signature = `0x${word(generatorX)}${word(s)}${v}` as Hex
        const got = await recoverSigner(`0x${word(s)}`, signature)
        expect(got).toBe(await reference(`0x${word(s)}`, signature))
        if (v === '1b') expect(got).toBeUndefined()
      }
  })
})

test('recoverSigner: a digest of another length is a mistake of ours', async () => {
  const signature = await signer.sign({ hash })
  await expect(recoverSigner('0x12', signature)).rejects.toThrow('a digest has 32 bytes')
})

describe('recoverSigner', () => {
  test('random keys and digests: the address, as viem recovers it', async () => {
    await fc.assert(
      fc.asyncProperty(key, hash32, async (privateKey, digest) => {
        const owner: DigestSigner = privateKeyToAccount(privateKey)
        const signature = await owner.sign({ hash: digest })
        expect(signature).toMatch(/^0x[0-9a-f]{128}1[bc]$/)
        expect(await recoverSigner(digest, signature)).toBe(owner.address)
        expect(await recoverAddress({ hash: digest, signature })).toBe(owner.address)
      }),
      { numRuns: 100 },
    )
  })

  test('a digest that was signed is a typed-data signature', async () => {
    const domain = { chainId: 1, router: account.address }
    const order: Order = {
      id: 1n,
      signer: account.address,
      buyer: account.address,
      seller: account.address,
      buyerToken: account.address,
      sellerToken: account.address,
      buyerTokenAmount: 1n,
      sellerTokenAmount: 1n,
      caller: account.address,
      quoteId: `0x${'1'.repeat(32)}`,
      deadlineTimestamp: 1n,
    }
    const digest = createDigests(domain).order(order)
    expect(digest).toBe(hashTypedData(orderTypedData(domain, order)))
    expect(await signer.sign({ hash: digest })).toBe(
      await account.signTypedData(orderTypedData(domain, order)),
    )
  })

  test('what the router refuses has no signer', async () => {
    const good = await signer.sign({ hash })
    const r = good.slice(2, 66)
    const s = BigInt(`0x${good.slice(66, 130)}`)
    const highS = (curveOrder - s).toString(16).padStart(64, '0')
    const otherV = good.endsWith('1b') ? '1c' : '1b'
    for (const bad of [
      '0x',
      good.slice(0, -2),
      `${good}00`,
      `${good.slice(0, -2)}00`,
      `${good.slice(0, -2)}01`,
      // The same signature in its other form: the curve accepts it, the router does not.
      `0x${r}${highS}${otherV}`,
      // One above the half, in capitals, which sort below small letters.
      `0x${r}${word(curveOrder / 2n + 1n).toUpperCase()}1b`,
      `0x${'0'.repeat(128)}1b`,
      `0x${'f'.repeat(64)}${'0'.repeat(63)}11b`,
      'not hex at all',
    ])
      expect(await recoverSigner(hash, bad as `0x${string}`)).toBeUndefined()
    expect(await recoverSigner(hash, `${good.slice(0, -2)}${otherV}` as `0x${string}`)).not.toBe(
      account.address,
    )
  })
})
