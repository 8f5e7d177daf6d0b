import { describe, expect, test } from 'vitest'
import { createVerify } from '../../../src/bot/verify/verify.ts'
import { authorizationHash } from '../../../src/chain/settlement/typedData.ts'
import type { Refused } from '../../../src/core/check.ts'
import { controls } from './controls.ts'
import { now, order, pins, quoteOf, router } from './goodQuote.ts'
import { hostileQuotes } from './hostileQuotes.ts'

const clock = { now: () => now * 1_000, sleep: async () => {} }
const verify = createVerify({ pins, clock })

describe('verify: accepts', () => {
  for (const [name, recipe] of Object.entries(controls))
    test(name, async () => {
      const { checks } = await verify(await quoteOf(recipe))
      expect(checks.filter(({ ok }) => !ok)).toEqual([])
      expect(checks.length).toBeGreaterThanOrEqual(30)
    })
})

describe('verify: refuses', () => {
  for (const [name, [check, recipe]] of Object.entries(hostileQuotes))
    test(name, async () => {
      const quoted = await quoteOf(recipe)
      const refusal = await verify(quoted).then(
        () => expect.unreachable('was accepted'),
        (error: Refused) => error,
      )
      expect(refusal).toMatchObject({ name: 'Refused', stage: 'verify', fault: 'refused' })
      const failed = refusal.checks.filter(({ ok }) => !ok)
      expect(failed.map(({ name }) => name)).toContain(`verify.${check}`)
      for (const { expected, actual } of failed) {
        expect(expected).not.toBe('')
        expect(actual.toLowerCase()).not.toBe(expected.toLowerCase())
      }
    })
})

test('verify: the router is the one of the pins, whatever the JSON says', async () => {
  expect((await verify(await quoteOf())).call.to).toBe(router)
})

test('verify: the authorisation is the digest the router will consume', async () => {
  const { authorization, swap, orders, wallet } = await verify(await quoteOf())
  if (swap === undefined) throw new Error('a quote of this router is decoded')
  expect(authorization).toBe(authorizationHash(pins, { swap, orders, caller: wallet }))
})

test('verify: the deadline is that of the order that ends first', async () => {
  const half = { sellerTokenAmount: 10n ** 18n / 2n, buyerTokenAmount: 1_500_000_000n }
  const orders = [
    order({ ...half, deadlineTimestamp: BigInt(now + 30) }),
    order({ ...half, id: 8n, deadlineTimestamp: BigInt(now + 20) }),
  ]
  expect((await verify(await quoteOf({ orders }))).deadline).toBe(now + 20)
})
