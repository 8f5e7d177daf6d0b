import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compactJson, parseJson } from '../../src/core/json.ts'

test('parseJson: an integer beyond 2^53 keeps every digit', () => {
  expect(parseJson('{"id":1644529534389398715,"small":7,"price":0.5}')).toEqual({
    id: 1644529534389398715n,
    small: 7,
    price: 0.5,
  })
})

test('parseJson: every integer survives', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 256n), max: 2n ** 256n }), (value) => {
      const [read] = parseJson(`[${value}]`) as [number | bigint]
      expect(BigInt(read)).toBe(value)
    }),
  )
})

test('compactJson: a bigint is text', () => {
  expect(compactJson({ wei: 10n ** 30n })).toBe(`{"wei":"1${'0'.repeat(30)}"}`)
})
