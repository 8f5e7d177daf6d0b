import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createFields } from '../../../src/bot/strategy/createFields.ts'
import type { Schema } from '../../../src/bot/strategy/fields.ts'
import { nativeAddress, type Token } from '../../../src/core/token.ts'

const token = (symbol: string, decimals: number, address: string): Token => ({
  chainId: 31337,
  address: address as Token['address'],
  symbol,
  decimals,
})
const weth = token('WETH', 18, '0x01')
const usdc = token('USDC', 6, '0x02')
const wbtc = token('WBTC', 8, '0x03')
const eth = token('ETH', 18, nativeAddress)
const fields = createFields({
  bySymbol: new Map([weth, usdc, wbtc, eth].map((it) => [it.symbol, it])),
})

const complaint = (schema: Schema<unknown>, input: unknown) => {
  const { error } = schema.safeParse(input)
  return error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join(' | ')
}

describe('fields', () => {
  test('amount, token: are read with the configured tokens', () => {
    expect(fields.amount.parse('1.5 WETH')).toEqual({ token: weth, wei: 15n * 10n ** 17n })
    expect(fields.token.parse('USDC')).toBe(usdc)
  })

  test('seconds, bps: say their unit and give whole numbers', () => {
    expect([fields.seconds.parse('5s'), fields.seconds.parse('1h')]).toEqual([5, 3600])
    expect(fields.bps.parse('50 bps')).toBe(50)
  })

  test.each([
    ['2026-11-22', Date.UTC(2026, 10, 22)],
    ['2026-11-22T04:11:20Z', Date.UTC(2026, 10, 22, 4, 11, 20)],
    // As our own JSON prints it.
    ['2026-11-22T04:11:20.184Z', Date.UTC(2026, 10, 22, 4, 11, 20, 184)],
    ['2026-11-22T05:11:20.184+01:00', Date.UTC(2026, 10, 22, 4, 11, 20, 184)],
  ])('instant: %s is one, for the reader and in the schema', (text, at) => {
    expect(fields.instant.parse(text)).toBe(at)
    const { pattern } = z.globalRegistry.get(fields.instant) as { pattern?: string }
    expect(text).toMatch(new RegExp(pattern ?? 'none'))
  })

  test.each<[string, keyof typeof fields, unknown, string]>([
    ['amount', 'amount', '1 DOGE', "'DOGE' is not a configured token"],
    ['amount', 'amount', undefined, 'is missing'],
    ['amount', 'amount', ['1 WETH'], 'must be one line of text'],
    ['price', 'price', '2950', "'2950' is not a price"],
    ['price', 'price', '0 USDC', 'a price of zero would sell for nothing.'],
    ['price', 'price', '1 USDC per', "'1 USDC per' is not a price"],
    ['price', 'price', `0.${'1'.repeat(37)} USDC`, 'has more than 36 decimals.'],
    ['seconds', 'seconds', '5', "'5' has no unit"],
    ['seconds', 'seconds', '1500ms', 'is not a whole number of seconds'],
    ['seconds', 'seconds', '0s', 'is not a whole number of seconds of at least one.'],
    ['bps', 'bps', '0.5 %', "'0.5 %' is in percent: write '50 bps'."],
    ['cron', 'cron', '0 9 * * * *', 'is not a schedule: write minute, hour'],
    ['cron', 'cron', '@daily', 'is not a schedule: write minute, hour'],
    ['cron', 'cron', 'H 9 * * *', 'is not a schedule: write minute, hour'],
    [
      'cron',
      'cron',
      '61 9 * * *',
      "is not a schedule: its minute '61' is not of 0 to 59; write it as in '0 9 * * 1'.",
    ],
    ['cron', 'cron', '0 24 * * *', "its hour '24' is not of 0 to 23;"],
    [
      'cron',
      'cron',
      '0 22-6 * * *',
      "its hour '22-6' takes values of 0 to 23, each once, and ranges from",
    ],
    ['cron', 'cron', '0 9,9 * * *', "its hour '9,9' takes values of 0 to 23, each once"],
    ['cron', 'cron', '*/0,5 * * * *', "the step of its minute '*/0,5' is not 1 or more"],
    ['cron', 'cron', '0 9 0 * *', "its day of month '0' is not of 1 to 31;"],
    ['cron', 'cron', '0 9 1 13 *', "its month '13' is not of 1 to 12, or JAN to DEC;"],
    ['cron', 'cron', '0 9 * * MONDAY', "its day of week 'MONDAY' is not of 0 to 7, or SUN to SAT;"],
    ['cron', 'cron', '*/0 * * * *', "the step of its minute '*/0' is not 1 or more;"],
    [
      'cron',
      'cron',
      '0 0 31 2 *',
      "is not a schedule: no such day exists in that month; write it as in '0 9 * * 1'.",
    ],
    ['timeZone', 'timeZone', 'Mars/Olympus', 'is not a time zone: write its IANA name'],
    ['timeZone', 'timeZone', '+02:00', 'is not a time zone: write its IANA name'],
  ])('%s: refuses %s %s', (_name, key, input, message) => {
    expect(complaint(fields[key] as Schema<unknown>, input)).toContain(message)
  })

  test.each(['0 9 * * *', '*/15 8-17 * * MON-FRI', '0 9 29 2 *', '0 9 * MAR THU'])(
    'cron: reads %s',
    (text) => {
      expect(fields.cron.parse(text)).toBe(text)
    },
  )

  test('object: refuses a key nobody declared, and names what is missing', () => {
    const schema = fields.object({ sell: fields.amount, late: fields.optional(fields.seconds) })
    expect(schema.parse({ sell: '1 WETH' })).toEqual({ sell: { token: weth, wei: 10n ** 18n } })
    expect(complaint(schema, { sell: '1 WETH', sel: '1 WETH' })).toBe(
      ': is not a known key; known keys are sell, late.',
    )
    expect(complaint(schema, {})).toBe("sell: is missing: write for example '1 WETH'.")
  })
})

describe('trade', () => {
  const schema = fields.trade({ price: fields.price, late: fields.optional(fields.seconds) })
  const priceOf = (sell: string, buy: string, price: string) =>
    schema.parse({ sell, buy, price }).price

  test('price: short and long form are the same exact rate', () => {
    const rate = {
      sold: { token: weth, wei: 10n ** 18n },
      bought: { token: usdc, wei: 2_950_500_000n },
    }
    expect(priceOf('2 WETH', 'USDC', '2950.5 USDC')).toEqual(rate)
    expect(priceOf('2 WETH', 'USDC', '2950.5 USDC per WETH')).toEqual(rate)
  })

  test('price: may be written in the sold token', () => {
    expect(priceOf('500 USDC', 'WETH', '3100 USDC per WETH')).toEqual({
      sold: { token: usdc, wei: 3_100_000_000n },
      bought: { token: weth, wei: 10n ** 18n },
    })
  })

  test('price: decimals beyond the token are carried, not cut', () => {
    expect(priceOf('1 USDC', 'WBTC', '0.0000123456789 WBTC')).toEqual({
      sold: { token: usdc, wei: 10n ** (6n + 5n) },
      bought: { token: wbtc, wei: 123_456_789n },
    })
  })

  test.each([
    [
      { sell: '1 WETH', buy: 'USDC', price: '2950 WBTC' },
      "price: is in WBTC, but it sells WETH for USDC: write it in 'USDC per WETH' or 'WETH per USDC'.",
    ],
    [
      { sell: '500 USDC', buy: 'WETH', price: '3100 USDC' },
      "price: is in USDC, but it sells USDC for WETH: write it in 'WETH per USDC' or 'USDC per WETH'.",
    ],
    [
      { sell: '1 WETH', buy: 'USDC', price: '2950 USDC per ETH' },
      "price: is in USDC per ETH, but it sells WETH for USDC: write it in 'USDC per WETH' or 'WETH per USDC'. The native token and its wrapped form are two tokens.",
    ],
    [
      { sell: '0 WETH', buy: 'WETH', price: '1 WETH' },
      'sell: is nothing: sell more than zero. | buy: buys WETH, which is what it sells: name another token.',
    ],
  ])('refuses %o', (input, message) => {
    expect(complaint(schema, input)).toBe(message)
  })

  test('check: complaints land on their key', () => {
    const checked = fields.check(schema, {
      late: ({ late }) => (late === 7 ? 'is unlucky.' : undefined),
    })
    const input = { sell: '1 WETH', buy: 'USDC', price: '1 USDC' }
    expect(checked.safeParse({ ...input, late: '8s' }).success).toBe(true)
    expect(complaint(checked, { ...input, late: '7s' })).toBe('late: is unlucky.')
  })
})
