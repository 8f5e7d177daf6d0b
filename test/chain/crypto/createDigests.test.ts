import fc from 'fast-check'
import { hashTypedData } from 'viem'
import { describe, expect, test } from 'vitest'
import type { Hex } from '../../../src/chain/calls/fields.ts'
import { createDigests } from '../../../src/chain/crypto/createDigests.ts'
import { loadEngine } from '../../../src/chain/crypto/recoverSigner.ts'
import type { Order } from '../../../src/chain/settlement/order.ts'
import { authorizationTypedData } from '../../../src/chain/settlement/typedData.ts'
import { orderTypedData } from '../../support/orderTypedData.ts'
import { address, authorized, order } from '../../support/randomSwaps.ts'

/** `npm run test:signatures` takes more. */
const runs = Number(process.env.DIGESTS ?? 200)
const domain = { chainId: 31337, router: '0x00000000000000000000000000000000000000aa' } as const

describe.each([
  ['', undefined],
  [' with the compiled hash', (await loadEngine()).keccak256],
] as const)('createDigests%s', (_, keccak) => {
  test('an order: what viem hashes, for random ones', () => {
    const digests = createDigests(domain, keccak)
    fc.assert(
      fc.property(order, (each) => {
        expect(digests.order(each)).toBe(hashTypedData(orderTypedData(domain, each)))
      }),
      { numRuns: 3 * runs },
    )
  })

  test('an authorisation: what viem hashes, for random ones', () => {
    const digests = createDigests(domain, keccak)
    fc.assert(
      fc.property(authorized, (each) => {
        expect(digests.authorization(each)).toBe(
          hashTypedData(authorizationTypedData(domain, each)),
        )
      }),
      { numRuns: runs },
    )
  })

  test('another chain and another router are another digest', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 31 }), address, order, (chainId, router, each) => {
        const other = { chainId, router }
        expect(createDigests(other, keccak).order(each)).toBe(
          hashTypedData(orderTypedData(other, each)),
        )
      }),
      { numRuns: 200 },
    )
  })

  test('what does not fit its word is not signed as something else', () => {
    const digests = createDigests(domain, keccak)
    const [good] = fc.sample(order, 1)
    if (good === undefined) throw new Error('fast-check makes one')
    const bad: Partial<Record<keyof Order, unknown>>[] = [
      { id: -1n },
      { id: 2n ** 256n },
      { signer: '0x12' },
      { signer: `0x${'g'.repeat(40)}` },
      { signer: `0x${'1'.repeat(42)}` },
      { quoteId: `0x${'1'.repeat(30)}` },
      { quoteId: `0x${'1'.repeat(34)}` },
    ]
    for (const change of bad)
      expect(() => digests.order({ ...good, ...change } as Order)).toThrow(/to sign/)
    const [swap] = fc.sample(authorized, 1)
    if (swap === undefined) throw new Error('fast-check makes one')
    for (const signature of ['0x0', '0xzz', '12'])
      expect(() =>
        digests.authorization({ ...swap, orders: [{ order: good, signature: signature as Hex }] }),
      ).toThrow(/to sign/)
  })
})
