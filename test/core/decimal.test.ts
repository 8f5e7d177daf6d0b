import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatDecimal, parseDecimal } from '../../src/core/decimal.ts'

const units = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })
const scale = fc.integer({ min: 0, max: 36 })

describe('decimal', () => {
  test('what is printed reads back as the same integer', () => {
    fc.assert(
      fc.property(units, scale, (value, decimals) => {
        expect(parseDecimal(formatDecimal(value, decimals), decimals)).toBe(value)
      }),
    )
  })

  test('the printed text is the shortest: no needless zero, no bare dot', () => {
    fc.assert(
      fc.property(units, scale, (value, decimals) => {
        expect(formatDecimal(value, decimals)).toMatch(/^(?:0|[1-9]\d*)(?:\.\d*[1-9])?$/)
      }),
    )
  })

  test('a negative value prints as the positive one with a sign', () => {
    fc.assert(
      fc.property(units, scale, (value, decimals) => {
        fc.pre(value > 0n)
        expect(formatDecimal(-value, decimals)).toBe(`-${formatDecimal(value, decimals)}`)
      }),
    )
  })

  test('one digit more than the scale is refused, never rounded', () => {
    fc.assert(
      fc.property(scale, fc.integer({ min: 0, max: 9 }), (decimals, last) => {
        const text = `1.${'0'.repeat(decimals)}${last}`
        expect(() => parseDecimal(text, decimals)).toThrow(
          expect.objectContaining({ code: 'TOO_MANY_DECIMALS' }),
        )
      }),
    )
  })

  test('a finer scale only appends zeros', () => {
    fc.assert(
      fc.property(units, scale, fc.integer({ min: 0, max: 12 }), (value, decimals, more) => {
        const text = formatDecimal(value, decimals)
        expect(parseDecimal(text, decimals + more)).toBe(value * 10n ** BigInt(more))
      }),
    )
  })

  test.for([
    '',
    ' ',
    '.',
    '1.',
    '.5',
    '-1',
    '+1',
    '01',
    '1e3',
    '1E3',
    '0x10',
    '1,000',
    '1_000',
    '1 ',
    ' 1',
    '١',
    'NaN',
    'Infinity',
    '1.2.3',
    '1\n',
    '1'.repeat(79),
  ])('refuses %j', (text) => {
    expect(() => parseDecimal(text, 18)).toThrow(
      expect.objectContaining({ code: 'NOT_A_DECIMAL', fault: 'usage' }),
    )
  })

  test('any text either is refused or is exactly its own value', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'0123456789.e-+ _x') }), (text) => {
        let value: bigint
        try {
          value = parseDecimal(text, 18)
        } catch {
          return
        }
        expect(text).toMatch(/^\d+(?:\.\d+)?$/)
        expect(parseDecimal(formatDecimal(value, 18), 18)).toBe(value)
      }),
    )
  })
})
