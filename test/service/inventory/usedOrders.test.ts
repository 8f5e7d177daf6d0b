import { expect, test } from 'vitest'
import { usedOrders } from '../../../src/service/inventory/usedOrders.ts'

test('an order whose word was not read, or could not be, counts as open; the others by their bit', () => {
  const word = { ok: true, value: { word: 1n, bits: 0b101n } } as const
  const isUsed = usedOrders.from([word, { ok: false, error: new Error('away') }])
  expect([256n, 257n, 258n].map(isUsed)).toEqual([true, false, true])
  expect([0n, 1n, 512n, 513n].map(isUsed)).toEqual([false, false, false, false])
})

test('a word is 256 ids: 255 is the last bit of the first, 511 of the second', () => {
  const isUsed = usedOrders.from([
    { ok: true, value: { word: 0n, bits: 1n << 255n } },
    { ok: true, value: { word: 1n, bits: 1n << 255n } },
  ])
  expect([254n, 255n, 256n, 510n, 511n, 512n].map(isUsed)).toEqual([
    false,
    true,
    false,
    false,
    true,
    false,
  ])
})
