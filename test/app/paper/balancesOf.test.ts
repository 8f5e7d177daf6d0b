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
    ['1,5 WETH', '1,5'],
    ['10 ETH, 1,500 WETH', '1,500'],
    ['1.500,25 WETH,10 ETH', '1.500,25'],
  ])('%s has a comma between digits', (text, mixed) => {
    expect(() => read(text)).toThrow(
      `--balances has '${mixed}': write a fraction with a point, and nothing between thousands, such as '1.5 ETH, 5000 USDC'.`,
    )
  })

  test('a comma after a token ends the amount, with a space or without', () => {
    expect(read('1 ETH,5 WETH')).toHaveLength(2)
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
