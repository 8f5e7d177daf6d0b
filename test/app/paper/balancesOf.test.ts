import { describe, expect, test } from 'vitest'
import { balancesOf } from '../../../src/app/paperMoney.ts'
import type { Config } from '../../../src/config/config.ts'

const token = (symbol: string, digit: string) =>
  ({ chainId: 1, symbol, decimals: 18, address: `0x${digit.repeat(40)}` }) as const
const [eth, weth] = [token('ETH', '1'), token('WETH', '2')]
const bySymbol = new Map([eth, weth].map((one) => [one.symbol, one]))
const read = (text: string) =>
  balancesOf(text, { tokens: { bySymbol } as unknown as Config['tokens'] })

describe('balancesOf', () => {
  test('a list with commas', () => {
    expect(read('10 ETH, 0.5 WETH')).toEqual([
      { token: eth, wei: 10n ** 19n },
      { token: weth, wei: 5n * 10n ** 17n },
    ])
  })

  test.each([
    ['10 ETH, 5 ETH', 'USAGE'],
    ['10 XYZ', 'UNKNOWN_TOKEN'],
    ['10', 'NOT_AN_AMOUNT'],
    ['10 ETH,', 'NOT_AN_AMOUNT'],
    ['', 'NOT_AN_AMOUNT'],
  ])('%s is refused', (text, code) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ code }))
  })
})
