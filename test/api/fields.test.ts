import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addressField, hexField, uintField } from '../../src/api/fields.ts'
import { firmQuote } from '../../src/api/firmQuote.ts'
import { orderbook } from '../../src/api/orderbook.ts'
import { anyText } from '../support/anyText.ts'

describe('fields', () => {
  test('uint: any non-negative integer that a contract can hold', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), (value) => {
        expect(uintField.parse(value.toString())).toBe(value.toString())
      }),
    )
    expect(uintField.safeParse((2n ** 256n).toString()).success).toBe(false)
  })

  test.for(['', '-1', '+1', '01', '1.0', '1e18', '0x1', ' 1', '1 ', 'NaN', '١', 1, 1n, null])(
    'uint: refuses %s without throwing',
    (value) => {
      expect(uintField.safeParse(value).success).toBe(false)
    },
  )

  test('no text makes a field throw', () => {
    fc.assert(
      fc.property(anyText(), (text) => {
        for (const field of [uintField, addressField, hexField])
          expect(field.safeParse(text).success || true).toBe(true)
      }),
    )
  })

  const right = '0x5FbDB2315678afecb367f032d93F642f64180aa3'
  test.for([
    [right, true],
    [right.toLowerCase(), true],
    [right.replace('aa3', 'aA3'), false],
    [right.slice(0, -1), false],
    [`${right}0`, false],
    [right.slice(2), false],
    ['0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE', true],
  ] as const)('address: %s', ([text, ok]) => {
    expect(addressField.safeParse(text).success).toBe(ok)
  })

  test.for([
    ['0x', true],
    ['0xab', true],
    ['0xa', false],
    ['ab', false],
    ['0xzz', false],
  ] as const)('hex: %s', ([text, ok]) => {
    expect(hexField.safeParse(text).success).toBe(ok)
  })
})

describe('orderbook', () => {
  const pair = {
    base_symbol: 'WETH',
    base_address: '0x5fbdb2315678afecb367f032d93f642f64180aa7',
    quote_symbol: 'USDC',
    quote_address: '0x5fbdb2315678afecb367f032d93f642f64180aa8',
    side: 'bid',
    minimum_in_base: 0,
  }
  test.for([
    [[], true],
    [[[1, 3000]], true],
    [[[0, 0]], true],
    [[[1, -1]], false],
    [[[1]], false],
    [[[1, 2, 3]], false],
    [[['1', '2']], false],
    [[[1, Number.POSITIVE_INFINITY]], false],
    [[[Number.NaN, 1]], false],
    ['levels', false],
  ] as const)('levels %j', ([levels, ok]) => {
    expect(orderbook.response.safeParse([{ ...pair, levels }]).success).toBe(ok)
  })
})

test('firm quote: a field the contract does not know is kept, one it knows must be right', () => {
  const query = { src_chain: 'a', dst_chain: 'a', token_in: 'x', token_out: 'y', from_address: 'z' }
  expect(firmQuote.query.safeParse(query).success).toBe(false)
  expect(firmQuote.response.safeParse({ success: false }).success).toBe(false)
})
