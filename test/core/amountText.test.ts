import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseAmount, show, tokenOf } from '../../src/core/amount.ts'
import { nativeAddress, type Token } from '../../src/core/token.ts'

const tokens: readonly Token[] = [
  { chainId: 1, address: nativeAddress, symbol: 'ETH', decimals: 18 },
  {
    chainId: 1,
    address: '0x00000000000000000000000000000000000000aa',
    symbol: 'WETH',
    decimals: 18,
  },
  {
    chainId: 1,
    address: '0x00000000000000000000000000000000000000bb',
    symbol: 'USDC',
    decimals: 6,
  },
]
const bySymbol = new Map(tokens.map((token) => [token.symbol, token]))

describe('parseAmount', () => {
  test('reads back what show prints', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...tokens),
        fc.bigInt({ min: 0n, max: 2n ** 200n }),
        (token, wei) => {
          expect(parseAmount(show({ token, wei }), bySymbol)).toEqual({ token, wei })
        },
      ),
    )
  })

  test.for([
    ['5', "'5' does not say which token: write '5 ETH'."],
    ['5WETH', "'5WETH' is not an amount: write '5 WETH'."],
    // Half the world would mean one.
    [
      '1,000 USDC',
      "'1,000 USDC' has a comma: write the number with a point for its fraction and nothing between thousands, such as '1500.5 ETH'.",
    ],
    [
      '1,5 WETH',
      "'1,5 WETH' has a comma: write the number with a point for its fraction and nothing between thousands, such as '1500.5 ETH'.",
    ],
    ['-5 WETH', "'-5 WETH' has a sign: write the amount alone, such as '5 ETH'."],
    [
      'five WETH',
      "'five WETH' is not an amount: write a number, a space and a token, such as '5 ETH'.",
    ],
    [
      '1e3 USDC',
      "'1e3 USDC' is not an amount: write a number, a space and a token, such as '5 ETH'.",
    ],
    ['', "'' is not an amount: write a number, a space and a token, such as '5 ETH'."],
    [
      '5 WETHH',
      "'WETHH' is not a configured token; did you mean WETH? Known tokens: ETH, WETH, USDC.",
    ],
    ['5 DOGE', "'DOGE' is not a configured token. Known tokens: ETH, WETH, USDC."],
    ['1.1234567 USDC', '1.1234567 has more than 6 decimals.'],
    ['01 WETH', "'01' is not a plain decimal number."],
  ] as const)('refuses %j with a way out', ([text, sentence]) => {
    expect(() => parseAmount(text, bySymbol)).toThrow(
      expect.objectContaining({ summary: sentence, fault: 'usage' }),
    )
  })
})

test('tokenOf: is exact about letter case', () => {
  expect(tokenOf('WETH', bySymbol)).toBe(tokens[1])
  expect(() => tokenOf('weth', bySymbol)).toThrow(
    expect.objectContaining({ code: 'UNKNOWN_TOKEN' }),
  )
})
