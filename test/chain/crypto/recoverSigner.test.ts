import fc from 'fast-check'
import { hashTypedData, recoverAddress } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { createDigests } from '../../../src/chain/crypto/createDigests.ts'
import { recoverSigner } from '../../../src/chain/crypto/recoverSigner.ts'
import type { Signer } from '../../../src/chain/crypto/signer.ts'
import type { Order } from '../../../src/chain/settlement/order.ts'
import { orderTypedData } from '../../../src/chain/settlement/typedData.ts'

const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const hash32 = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((value) => `0x${Buffer.from(value).toString('hex')}` as const)
const key = fc
  .bigInt({ min: 1n, max: curveOrder - 1n })
  .map((value) => `0x${value.toString(16).padStart(64, '0')}` as const)

const account = privateKeyToAccount(`0x${'1'.repeat(64)}`)
const signer: Signer = account
const hash = `0x${'2'.repeat(64)}` as const

describe('recoverSigner', () => {
  test('random keys and digests: the address, as viem recovers it', async () => {
    await fc.assert(
      fc.asyncProperty(key, hash32, async (privateKey, digest) => {
        const owner: Signer = privateKeyToAccount(privateKey)
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
