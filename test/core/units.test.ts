import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseBps } from '../../src/core/bps.ts'
import { parseDuration, showDuration } from '../../src/core/duration.ts'
import { parseGasPrice } from '../../src/core/gasPrice.ts'

describe('parseDuration', () => {
  test.for([
    ['500ms', 500],
    ['30s', 30_000],
    ['5m', 300_000],
    ['1h', 3_600_000],
    ['2d', 172_800_000],
    ['30 s', 30_000],
  ] as const)('%s', ([text, milliseconds]) => {
    expect(parseDuration(text)).toBe(milliseconds)
  })

  test('reads back what showDuration prints', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 366 * 86_400_000 }), (milliseconds) => {
        expect(parseDuration(showDuration(milliseconds))).toBe(milliseconds)
      }),
    )
  })

  test.for([
    ['30', "'30' has no unit: write '30s' for seconds."],
    ['', "'' is not a duration: write a whole number and its unit, such as 30s, 5m, 1h or 2d."],
    [
      '1.5h',
      "'1.5h' is not a duration: write a whole number and its unit, such as 30s, 5m, 1h or 2d.",
    ],
    [
      '-5s',
      "'-5s' is not a duration: write a whole number and its unit, such as 30s, 5m, 1h or 2d.",
    ],
    [
      '5 weeks',
      "'5 weeks' is not a duration: write a whole number and its unit, such as 30s, 5m, 1h or 2d.",
    ],
    ['999d', "'999d' is longer than a year: write a duration such as 30s, 5m, 1h or 2d."],
  ] as const)('refuses %j', ([text, summary]) => {
    expect(() => parseDuration(text)).toThrow(
      expect.objectContaining({ code: 'NOT_A_DURATION', summary }),
    )
  })
})

describe('parseBps', () => {
  test.for([
    ['0 bps', 0],
    ['25 bps', 25],
    ['25bps', 25],
    ['10000 bps', 10_000],
  ] as const)('%s', ([text, bps]) => {
    expect(parseBps(text)).toBe(bps)
  })

  test.for([
    ['25', "'25' has no unit: write '25 bps' (1 bps is 0.01 %)."],
    ['25 %', "'25 %' is in percent: write '2500 bps'."],
    ['0.5%', "'0.5%' is in percent: write '50 bps'."],
    ['0.05 %', "'0.05 %' is in percent: write '5 bps'."],
    ['10001 bps', "'10001 bps' is more than everything: 10000 bps are 100 %."],
    [
      '0.5 bps',
      "'0.5 bps' is not a share: write a whole number of basis points such as '25 bps' (1 bps is 0.01 %).",
    ],
  ] as const)('refuses %j', ([text, summary]) => {
    expect(() => parseBps(text)).toThrow(expect.objectContaining({ code: 'NOT_BPS', summary }))
  })
})

describe('parseGasPrice', () => {
  test.for([
    ['200 gwei', 200_000_000_000n],
    ['0.05 gwei', 50_000_000n],
    ['7 wei', 7n],
  ] as const)('%s', ([text, wei]) => {
    expect(parseGasPrice(text)).toBe(wei)
  })

  test.for(['200', '200 Gwei', 'gwei', '0.0000000001 gwei', '1.5 wei'])('refuses %j', (text) => {
    expect(() => parseGasPrice(text)).toThrow(expect.objectContaining({ fault: 'usage' }))
  })

  test('a number alone is no gas price', () => {
    expect(() => parseGasPrice('200')).toThrow(expect.objectContaining({ code: 'NOT_A_GAS_PRICE' }))
  })
})
