import { describe, expect, test } from 'vitest'
import { createFields } from '../../src/bot/strategy/createFields.ts'
import dca from '../../strategies/dca.ts'

const weth = { chainId: 31337, address: '0x01', symbol: 'WETH', decimals: 18 } as const
const usdc = { chainId: 31337, address: '0x02', symbol: 'USDC', decimals: 6 } as const
const bySymbol = new Map([weth, usdc].map((token) => [token.symbol, token]))
const schema = dca.params(createFields({ bySymbol }))
const base = {
  sell: '500 USDC',
  buy: 'WETH',
  cron: '0 9 * * *',
  timeZone: 'Europe/Berlin',
  tolerance: '50 bps',
}
const value = { ...base, mode: 'value', most: '1500 USDC' }

const complaints = (params: Readonly<Record<string, string>>) =>
  schema
    .safeParse(params)
    .error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? []

describe('dca params', () => {
  test('today’s file is as it was', () => {
    const dollars = (wei: bigint) => ({ token: usdc, wei })
    expect(schema.parse({ ...base, price: '2510 USDC per WETH', late: '30m' })).toEqual({
      sell: dollars(500_000_000n),
      buy: weth,
      cron: '0 9 * * *',
      timeZone: 'Europe/Berlin',
      tolerance: 50,
      late: 1_800,
      price: { sold: dollars(2_510_000_000n), bought: { token: weth, wei: 10n ** 18n } },
    })
  })

  test('every key with its unit', () => {
    const full = {
      ...base,
      mode: 'fixed',
      most: '2000 USDC',
      minimum: '50 USDC',
      dipBelow: '5 %',
      dipFactor: '1.5',
      priceMin: '1500 USDC per WETH',
      priceMax: '4000 USDC per WETH',
      budget: '10000 USDC',
      reserve: '1000 USDC',
      start: '2026-01-01',
      end: '2026-12-31',
      carryMost: '3',
      missed: 'up to 3',
      late: '1h',
      jitter: '5m',
    }
    expect(complaints(full)).toEqual([])
    expect(schema.parse(full)).toMatchObject({
      dipBelow: 500,
      dipFactor: 15_000,
      start: Date.UTC(2026, 0, 1),
      end: Date.UTC(2026, 11, 31),
      carryMost: 3,
      missed: 3,
      jitter: 300,
    })
    expect(complaints({ ...value, budget: '9000 USDC', minimum: '50 USDC' })).toEqual([])
  })

  test.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
    ['a value without a bound', { ...base, mode: 'value' }, ['most: is missing: value needs it.']],
    [
      'carry and dips of a value, which has both already',
      { ...value, carryMost: '3', dipBelow: '5 %', dipFactor: '2' },
      ['dipBelow', 'dipFactor', 'carryMost'].map(
        (key) => `${key}: has no effect with value: leave it out.`,
      ),
    ],
    ['a bound below the slice', { ...base, most: '499 USDC' }, ['most: is less than 500 USDC.']],
    [
      'a minimum above the slice',
      { ...base, minimum: '501 USDC' },
      ['minimum: is more than 500 USDC.'],
    ],
    [
      'a budget of nothing',
      { ...base, budget: '0 USDC' },
      ['budget: is nothing, so nothing is ever sold: leave it out for no limit.'],
    ],
    ['half a dip', { ...base, dipBelow: '5 %' }, ['dipBelow: needs dipFactor.']],
    ['the other half', { ...base, dipFactor: '2' }, ['dipFactor: needs dipBelow.']],
    [
      'a dip of nothing that buys no more',
      { ...base, dipBelow: '0 bps', dipFactor: '1' },
      ['dipBelow: is nothing.', 'dipFactor: is no more than one.'],
    ],
    [
      'half a band',
      { ...base, priceMax: '4000 USDC per WETH' },
      ['priceMin: and priceMax are one band: write both, or price for the worst alone.'],
    ],
    [
      'amounts of what it does not sell',
      { ...base, most: '1 WETH', minimum: '1 WETH', budget: '1 WETH', reserve: '1 WETH' },
      ['most', 'minimum', 'budget', 'reserve'].map(
        (key) => `${key}: is in WETH, but it sells USDC.`,
      ),
    ],
    [
      'an end before the start',
      { ...base, start: '2026-02-01', end: '2026-02-01' },
      ['end: is not after start.'],
    ],
    [
      'a tolerance that is none',
      { ...base, tolerance: '1001 bps' },
      ['tolerance: is more than 1000 bps.'],
    ],
  ])('refuses %s', (_what, params, messages) => {
    expect(complaints(params)).toEqual(messages)
  })
})
