import { describe, expect, test } from 'vitest'
import { createFields } from '../../src/bot/strategy/createFields.ts'
import threshold from '../../strategies/threshold.ts'

const weth = { chainId: 31337, address: '0x01', symbol: 'WETH', decimals: 18 } as const
const usdc = { chainId: 31337, address: '0x02', symbol: 'USDC', decimals: 6 } as const
const bySymbol = new Map([weth, usdc].map((token) => [token.symbol, token]))
const schema = threshold.params(createFields({ bySymbol }))
const base = { sell: '1 WETH', buy: 'USDC', every: '5s' }
const limit = { ...base, price: '3000 USDC' }
const stop = { ...base, when: 'stop', price: '2500 USDC', tolerance: '100 bps' }
const trailing = { ...base, when: 'trailing', trail: '3 %', tolerance: '100 bps' }
const balance = { ...base, when: 'balance', above: '10 WETH', tolerance: '100 bps' }
const profit = { ...base, when: 'take-profit', entry: '3000 USDC per WETH', gain: '500 bps' }

const complaints = (params: Readonly<Record<string, string>>) =>
  schema
    .safeParse(params)
    .error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? []

describe('threshold params', () => {
  test('today’s file is a limit', () => {
    const one = { token: weth, wei: 10n ** 18n }
    expect(schema.parse({ ...limit, keep: '2 WETH' })).toEqual({
      sell: one,
      buy: usdc,
      every: 5,
      price: { sold: one, bought: { token: usdc, wei: 3_000_000_000n } },
      keep: { token: weth, wei: 2n * 10n ** 18n },
    })
  })

  test.each([
    ['limit', { ...limit, when: 'limit', hysteresis: '50 bps', confirm: '2 of 3', repeat: 'once' }],
    ['take-profit', { ...profit, limit: '10 WETH', hysteresis: '0.5 %' }],
    ['stop', { ...stop, confirmWithin: '2 %', hysteresis: '50 bps' }],
    ['trailing', { ...trailing, price: '3000 USDC', confirmWithin: '2 %', hysteresis: '50 bps' }],
    ['balance', { ...balance, price: '2000 USDC', minimum: '0.1 WETH', keep: '1 WETH' }],
    ['a purchase', { ...base, sell: '600 USDC', buy: 'WETH', price: '3000 USDC per WETH' }],
  ])('takes %s', (_when, params) => {
    expect(complaints(params)).toEqual([])
  })

  test.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
    ['a limit without a price', base, ['price: is missing: limit needs it.']],
    [
      'a stop at any price',
      { ...base, when: 'stop' },
      ['price: is missing: stop needs it.', 'tolerance: is missing: stop needs it.'],
    ],
    [
      'a target of nothing',
      { ...base, when: 'take-profit' },
      ['entry: is missing: take-profit needs it.', 'gain: is missing: take-profit needs it.'],
    ],
    ['no gain', { ...profit, gain: '0 bps' }, ['gain: is nothing: write a limit.']],
    ['no trail', { ...trailing, trail: '0 bps' }, ['trail: is nothing.']],
    [
      'a trail, and a way back, of everything',
      { ...trailing, trail: '100 %', hysteresis: '100 %' },
      ['trail', 'hysteresis'].map((key) => `${key}: is all of the price: it would never be met.`),
    ],
    [
      'a limit with a tolerance',
      { ...limit, tolerance: '50 bps' },
      ['tolerance: has no effect with limit: leave it out.'],
    ],
    [
      'a limit that trails, cross-checks and overflows',
      { ...limit, trail: '3 %', confirmWithin: '1 %', above: '3 WETH', minimum: '1 WETH' },
      ['trail', 'above', 'minimum', 'confirmWithin'].map(
        (key) => `${key}: has no effect with limit: leave it out.`,
      ),
    ],
    [
      'hysteresis of a balance',
      { ...balance, hysteresis: '50 bps' },
      ['hysteresis: has no effect with balance: leave it out.'],
    ],
    [
      'an entry beside a stop',
      { ...stop, entry: '3000 USDC', gain: '3 %' },
      ['entry', 'gain'].map((key) => `${key}: has no effect with stop: leave it out.`),
    ],
    [
      'a tolerance that is none',
      { ...stop, tolerance: '1001 bps' },
      ['tolerance: is more than 1000 bps.'],
    ],
    [
      'amounts of what it does not sell',
      { ...balance, above: '1 USDC', minimum: '1 USDC', limit: '1 USDC', keep: '1 USDC' },
      ['above', 'minimum', 'limit', 'keep'].map((key) => `${key}: is in USDC, but it sells WETH.`),
    ],
    [
      'a limit of nothing, which is no order without end',
      { ...limit, limit: '0 WETH' },
      ['limit: is nothing, so nothing is ever sold: leave it out for no limit.'],
    ],
    [
      'a price of another pair',
      { ...limit, price: '3000 WETH' },
      [
        "price: is in WETH, but it sells WETH for USDC: write it in 'USDC per WETH' or 'WETH per USDC'.",
      ],
    ],
    [
      'more votes than are counted',
      { ...limit, confirm: '4 of 3' },
      ["confirm: '4 of 3' is not so many of the last so many: write '2 of 3', of at most 32."],
    ],
    [
      'a word nobody knows',
      { ...limit, when: 'stopp' },
      [
        "when: 'stopp' is not one of limit, take-profit, stop, trailing, balance. Did you mean stop?",
      ],
    ],
  ])('refuses %s', (_what, params, messages) => {
    expect(complaints(params)).toEqual(messages)
  })
})
